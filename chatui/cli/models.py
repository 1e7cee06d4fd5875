"""`chatui models`: the models that a provider really has, asked of the provider itself.

Invariant: the network is used only for the providers that were named or that have a key; servers on this
machine are looked for only with `--local`. What is printed says whether it is live or remembered.
"""

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING

from chatui.core.errors import ChatuiError, ConfigError, ExitCode

if TYPE_CHECKING:
    from chatui.config.loader import LoadedConfig
    from chatui.config.model_cache import CachedModels
    from chatui.config.resolve import Resolution
    from chatui.core.model_listing import ListedModel
    from chatui.transport.httpx_transport import HttpxTransport

_ANY_MODEL = "-"


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "models",
        help="models of a provider, or of all that are ready",
        description="Models as the providers themselves list them; without -p of every one with a key.",
    )
    parser.add_argument("-p", "--provider", help="only this provider")
    parser.add_argument("--base-url", metavar="URL", help="ask any compatible server")
    parser.add_argument("--protocol", help="wire format, for its way of sending the key")
    parser.add_argument("--api-key-env", metavar="NAME", help="variable that holds the key")
    parser.add_argument("--json", action="store_true", help="one JSON array")
    parser.add_argument("--cached", action="store_true", help="what is remembered; asks nobody")
    parser.add_argument("--local", action="store_true", help="look for servers on this machine")
    parser.add_argument("--providers", action="store_true", help="list the providers instead of their models")


def run(arguments: argparse.Namespace) -> int:
    """Print the lists.

    Returns:
        0; 2 for a wrong name or missing key; 3 if no provider that was asked could be reached.
    """
    import asyncio

    from chatui.config.loader import load_config
    from chatui.config.paths import find_paths

    config = load_config(find_paths())
    if arguments.providers:
        return _print_providers(config, arguments.json)
    if arguments.local:
        return asyncio.run(_look(config, arguments.json))
    named, is_one_refused = _resolutions(config, arguments)
    if not named:
        raise ConfigError(
            "no provider with a key can be asked as it is set up"
            if is_one_refused
            else "no provider has a key yet",
            f"{_embedded_words(config)} Or name a provider with -p, see `chatui models --providers`, "
            "or look for servers here with --local.",
        )
    return asyncio.run(_list(config, named, arguments))


def _embedded_words(config: "LoadedConfig") -> str:
    """What to do to ask the one model that needs no key."""
    from chatui.transport.local_model import LocalModel
    from chatui.transport.local_progress import megabytes

    model = LocalModel(config.paths.data_dir)
    status = model.status()
    if status.problem:
        return "The embedded model would need none, but cannot run here: `chatui local status` says why."
    if status.is_model_present:
        return f"The embedded model ({status.model_name}) needs none: `chatui -p local` asks it."
    size = f"{megabytes(model.download_bytes)} MB"
    return (
        f"The embedded model needs none: `chatui local install` fetches it ({size}), "
        "then `chatui -p local` asks it."
    )


def _resolutions(config: "LoadedConfig", arguments: argparse.Namespace) -> tuple[list["Resolution"], bool]:
    """Whom to ask, and whether somebody with a key cannot be asked, which has been told then."""
    from chatui.config.overview import usable_providers
    from chatui.config.resolve import resolve
    from chatui.config.settings import Wish

    def resolved(provider: str | None) -> "Resolution":
        wish = Wish(
            provider=provider,
            model=_ANY_MODEL,
            base_url=arguments.base_url,
            protocol=arguments.protocol,
            api_key_env=arguments.api_key_env,
        )
        return resolve(wish, config, os.environ, needs_key=not arguments.cached, known_models=(_ANY_MODEL,))

    if arguments.provider or arguments.base_url:
        return [resolved(arguments.provider)], False
    found: list[Resolution] = []
    is_one_refused = False
    for spec in usable_providers(config, os.environ):
        try:
            found.append(resolved(spec.name))
        except ConfigError as error:
            is_one_refused = True
            _tell(f"{spec.name}: {error.message}")
    return found, is_one_refused


async def _list(config: "LoadedConfig", named: list["Resolution"], arguments: argparse.Namespace) -> int:
    import asyncio

    from chatui.cli.messages import sentence
    from chatui.config.model_cache import CachedModels, load_models, save_models

    lists: dict[str, CachedModels] = {}
    failures: list[ChatuiError] = []
    transport = _transport()

    async def ask(one: "Resolution") -> None:
        name = one.spec.name
        if arguments.cached or one.is_embedded or not one.spec.has_model_list:
            kept = None if one.is_embedded else load_models(config.paths, name)
            lists[name] = kept if kept is not None else _suggested(config, one)
            return
        try:
            models = await _fetch(transport, one)
        except ChatuiError as error:
            failures.append(error)
            _tell(f"{name}: {sentence(error.message, error.hint)}")
            kept = load_models(config.paths, name)
            if kept is not None and kept.base_url == one.base_url:
                lists[name] = kept
            return
        lists[name] = CachedModels(base_url=one.base_url, fetched_at_epoch_s=time.time(), models=models)
        try:
            save_models(config.paths, name, lists[name])
        except ConfigError as error:
            _tell(error.message)

    try:
        await asyncio.gather(*(ask(one) for one in named))
    finally:
        await transport.aclose()
    ordered = {one.spec.name: lists[one.spec.name] for one in named if one.spec.name in lists}
    _print(ordered, arguments.json)
    return ExitCode.TRANSPORT if failures and not ordered else ExitCode.COMPLETED


async def _fetch(transport: "HttpxTransport", one: "Resolution") -> "tuple[ListedModel, ...]":
    from chatui.protocols import load
    from chatui.transport.model_list import fetch_models

    headers = {**load(one.protocol).headers(one.api_key), **dict(one.headers)}
    return await fetch_models(transport, one.base_url, headers)


async def _look(config: "LoadedConfig", is_json: bool) -> int:
    from chatui.config.model_cache import CachedModels
    from chatui.config.overview import local_servers
    from chatui.transport.model_list import look_for_local_servers

    transport = _transport()
    known = local_servers(config, os.environ)
    try:
        found = await look_for_local_servers(transport, list(known.values()))
    finally:
        await transport.aclose()
    now = time.time()
    lists = {
        name: CachedModels(base_url=base_url, fetched_at_epoch_s=now, models=found[base_url])
        for name, base_url in known.items()
        if base_url in found
    }
    for name, cached in lists.items():
        _tell(f"{name} answers at {cached.base_url}")
    if not lists:
        _tell("no server on the usual ports: " + ", ".join(known.values()))
    _print(lists, is_json)
    return ExitCode.COMPLETED


def _transport() -> "HttpxTransport":
    import chatui
    from chatui.transport.httpx_transport import HttpxTransport

    return HttpxTransport(f"chatui/{chatui.__version__}")


def _suggested(config: "LoadedConfig", one: "Resolution") -> "CachedModels":
    """What chatui itself knows, where there is no list to ask for."""
    from chatui.config.model_cache import CachedModels
    from chatui.core.model_listing import ListedModel

    suggested = (one.spec.default_model, *one.spec.suggested_models)
    if one.is_embedded:
        from chatui.transport.local_model import LocalModel

        suggested = (LocalModel(config.paths.data_dir).name,)
    names = dict.fromkeys(filter(None, suggested))
    models = tuple(ListedModel(model_id=name) for name in names)
    return CachedModels(base_url=one.base_url, fetched_at_epoch_s=0.0, models=models)


def _print(lists: "dict[str, CachedModels]", is_json: bool) -> None:
    from chatui.cli.messages import one_line

    if is_json:
        entries = [
            {
                "provider": name,
                "model": model.model_id,
                "title": model.title or None,
                "owner": model.owner or None,
                "context_window_tokens": model.context_window_tokens,
                "fetched_at_epoch_s": cached.fetched_at_epoch_s or None,
            }
            for name, cached in lists.items()
            for model in cached.models
        ]
        print(json.dumps(entries, indent=1))
        return
    for name, cached in lists.items():
        if len(lists) > 1:
            print(f"{one_line(name)}{_age(cached)}")
        elif _age(cached):
            _tell(f"{name}{_age(cached)}")
        for model in cached.models:
            window = f"  {model.context_window_tokens:,} tokens" if model.context_window_tokens else ""
            indent = "  " if len(lists) > 1 else ""
            print(f"{indent}{one_line(model.model_id)}{window if sys.stdout.isatty() else ''}")


def _age(cached: "CachedModels") -> str:
    if cached.fetched_at_epoch_s == 0.0:
        return " (suggested; not asked for)"
    age_s = time.time() - cached.fetched_at_epoch_s
    if age_s < 120:
        return ""
    return (
        f" (remembered, {age_s / 3600:.0f} h old)"
        if age_s >= 3600
        else f" (remembered, {age_s / 60:.0f} min old)"
    )


def _print_providers(config: "LoadedConfig", is_json: bool) -> int:
    from chatui.config.keys import has_key
    from chatui.config.provider_spec import load_provider, provider_names

    rows: list[dict[str, object]] = []
    for name in provider_names(config.paths, config.settings.providers):
        try:
            spec = load_provider(name, config.paths, config.settings.providers, config.user_source)
        except ConfigError as error:
            _tell(error.message)
            continue
        rows.append(
            {
                "provider": name,
                "title": spec.title,
                "protocol": spec.protocol,
                "base_url": spec.base_url,
                "key": "found"
                if has_key(spec, config.paths, os.environ)
                else "not needed"
                if not spec.needs_key
                else " or ".join(spec.key_env),
                "default_model": spec.default_model,
            }
        )
    if is_json:
        print(json.dumps(rows, indent=1))
        return ExitCode.COMPLETED
    for row in rows:
        key = f"set {row['key']}" if row["key"] not in ("found", "not needed") else row["key"]
        print(f"{row['provider']:<14} {row['title']:<26} {row['protocol']:<19} {key}")
    return ExitCode.COMPLETED


def _tell(text: str) -> None:
    from chatui.cli.messages import tell

    tell(text)
