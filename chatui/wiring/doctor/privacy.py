"""Takes out of a finding what is secret or private: a report is made to be pasted into an issue.

Invariant: no known key, nothing that looks like one, no credentials in an address, no name of the home
folder; every check's words pass here before anybody sees them.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from chatui.core.diagnosis import Finding
from chatui.core.endpoint_url import place_of
from chatui.core.redact import MASK, redact


def cleaned(finding: Finding, secrets: Iterable[str]) -> Finding:
    """A finding that can be shown to anybody."""
    known = tuple(secrets)
    return replace(
        finding,
        subject=_clean(finding.subject, known),
        words=_clean(finding.words, known),
        next_step=_clean(finding.next_step, known),
    )


def shown_path(path: Path | str) -> str:
    """A path with the home folder as `~`."""
    text = str(path)
    for home in _homes():
        if text == home:
            return "~"
        text = re.sub(re.escape(home) + r"(?=[/\\])", "~", text)
    return text


def shown_address(url: str) -> str:
    """An address without user, password and query; what is no address is masked as a whole."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
    except ValueError:
        return MASK
    place = place_of(parts.geturl())
    if not place:
        return MASK
    credentials = f"{MASK}@" if parts.username or parts.password else ""
    return f"{parts.scheme}://{credentials}{place}{parts.path.rstrip('/')}"


def _clean(text: str, secrets: tuple[str, ...]) -> str:
    return redact(shown_path(text), secrets)


def _homes() -> tuple[str, ...]:
    try:
        home = Path.home()
    except RuntimeError:  # no home is known
        return ()
    # The root folder is no home that a name could be read from.
    found = dict.fromkeys(str(path) for path in (home, home.resolve()) if path != Path(path.anchor))
    return tuple(sorted(found, key=len, reverse=True))
