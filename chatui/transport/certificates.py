"""Which certificate authorities are trusted: those that the environment names, else the bundle of certifi.

Invariant: a file that is named and cannot be used is told by its variable and path; it is never silently
replaced by another one. Source: OpenSSL's documentation of SSL_CERT_FILE and SSL_CERT_DIR.
"""

import os
import ssl
from collections.abc import Mapping
from typing import Final

import httpx

from chatui.core.errors import ConnectFailed

VARIABLES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")


def named_certificates(environ: Mapping[str, str]) -> tuple[str, str]:
    """The variable that is in force, and the path in it; both empty where none is."""
    return next(((name, environ[name]) for name in VARIABLES if environ.get(name)), ("", ""))


def trusting_context() -> ssl.SSLContext:
    """The context of all connections (takes tens of milliseconds).

    Raises:
        ConnectFailed: what the environment names cannot be used.
    """
    variable, path = named_certificates(os.environ)
    if variable and not os.path.exists(path):
        raise ConnectFailed(f"{variable} names {path}, which is not there", _hint(variable))
    try:
        return httpx.create_ssl_context()
    except (OSError, ssl.SSLError) as error:
        if not variable:
            raise ConnectFailed(
                "The certificates that come with chatui cannot be read", "Install chatui again."
            ) from error
        raise ConnectFailed(
            f"{variable} names {path}, which holds no certificates that can be read", _hint(variable)
        ) from error


def _hint(variable: str) -> str:
    return f"Correct {variable}, or unset it to trust the usual authorities."
