"""Members of a request body by dotted path, and the last word of dialect and person on it.

Invariant: what the person put in explicitly (`extra`) wins over everything, also over `unsupported`.
"""

from collections.abc import Mapping

from chatui.core.wire import Dialect

Body = dict[str, object]


def finish_body(body: Body, dialect: Dialect, extra: Mapping[str, object]) -> Body:
    """Put in what the dialect always sends, take out what is rejected, then put in the person's own."""
    merge_into(body, dialect.extra_body)
    for path in dialect.unsupported:
        _drop(body, path.split("."))
    merge_into(body, extra)
    return body


def set_member(body: Body, path: str, value: object) -> None:
    """Set a member by its dotted path, making the objects on the way."""
    *outer, last = path.split(".")
    for name in outer:
        inner = body.get(name)
        if not isinstance(inner, dict):
            inner = {}
            body[name] = inner
        body = inner
    body[last] = value


def merge_into(body: Body, members: Mapping[str, object]) -> None:
    """Deep merge: objects are merged, everything else is replaced. `members` is never changed or shared."""
    for name, value in members.items():
        if isinstance(value, Mapping):
            inner = body.get(name)
            copy: Body = dict(inner) if isinstance(inner, dict) else {}
            merge_into(copy, value)
            body[name] = copy
        else:
            body[name] = value


def _drop(body: Body, path: list[str]) -> None:
    for name in path[:-1]:
        inner = body.get(name)
        if not isinstance(inner, dict):
            return
        body = inner
    body.pop(path[-1], None)
