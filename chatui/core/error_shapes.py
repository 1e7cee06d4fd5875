"""Finds the error in a JSON value, in every shape that servers and gateways give it.

Invariant: `find_error` never raises and never takes an ordinary chunk for an error: `error: null` and
nested objects of a type "error" (a moderation result) are none. Sources: OpenAI, Anthropic and Azure API
references; OpenRouter "Errors"; MiniMax `base_resp`; FastAPI `detail`; Cloudflare `errors`; llama.cpp, vLLM
(`object: error`), Ollama (`error: text`), Baidu (`error_code`, `error_msg`).
"""

import re

from chatui.core.json_access import JsonObject, as_label, as_list, as_object, as_text
from chatui.core.late_pattern import late_pattern
from chatui.core.values import frozen

_LONGEST = 2000
_FINE = late_pattern(r"0|[123][0-9][0-9]|", re.ASCII)
"""Codes that say that nothing is wrong."""
_FINE_WORDS = frozenset({"ok", "success", "succeeded"})
_NOTHING = frozenset({"", "null", "none", *_FINE_WORDS})


@frozen
class ErrorFound:
    """What a server says went wrong, in its own words."""

    message: str
    code: str = ""
    """Its word for it, the most telling one."""
    status: int | None = None
    request_id: str | None = None
    metadata: str = ""
    """More of it, from an upstream provider."""
    is_sure: bool = True
    """False for words that a running stream may say of its progress as well: what ends it decides."""


def find_error(value: object, *, is_lone: bool = True) -> ErrorFound | None:
    """The error that `value` reports, or None.

    Args:
        value: a JSON value.
        is_lone: nothing else is in it (no choices, no content), so weaker signs count, such as a bare
        `message`.
    """
    top = as_object(value)
    if not top:
        return None
    error = top.get("error")
    if error and (is_lone or not _says_nothing(error)):
        return _from_error(error, top)
    if top.get("type") == "error" or top.get("object") == "error":
        return _from_object(top, top)
    base = as_object(top.get("base_resp"))
    if base.get("status_code") not in (None, 0, "0"):
        return ErrorFound(_clip(as_label(base.get("status_msg"))), as_label(base.get("status_code")))
    return _from_lone(top) if is_lone else None


def is_error_name(name: str) -> bool:
    """Whether an event of this name is an error, whatever it holds: `error`, `internalServerException`."""
    return name.lower().endswith(("error", "exception"))


def _says_nothing(error: object) -> bool:
    """An error that holds no word: gateways put `{"code": 0, "message": ""}` beside what is fine."""
    match error:
        case dict() | list():
            members = error.values() if isinstance(error, dict) else error
            return all(_says_nothing(member) for member in members)
        case str():
            return error.strip().lower() in _NOTHING
        case _:
            return not error


def _from_error(error: object, top: JsonObject) -> ErrorFound:
    match error:
        case str():
            message = as_label(top.get("message")) or as_label(top.get("error_description"))
            return ErrorFound(_clip(f"{error}: {message}" if message and message != error else error))
        case dict():
            return _from_object(error, top)
        case list():
            found = [_from_error(entry, {}).message for entry in error if entry]
            return ErrorFound(_clip("; ".join(found)))
        case _:
            return ErrorFound(_clip(as_label(top.get("message")) or "unnamed error"))


def _from_object(error: JsonObject, top: JsonObject) -> ErrorFound:
    inner = as_object(error.get("error"))
    message = ""
    for key in ("message", "msg", "detail", "error", "reason", "description", "error_msg"):
        if message := as_label(error.get(key)):
            break
    message = message or as_label(inner.get("message")) or _from_detail(error.get("detail"))
    if not message and (more := as_list(error.get("errors"))):
        message = _from_error(more, {}).message
    codes = [as_label(error.get(key)) for key in ("code", "type", "status", "error_type")]
    words = [code for code in codes if code and not code.isdigit() and code != "error"]
    status = next((int(code) for code in codes if re.fullmatch("[45][0-9][0-9]", code)), None)
    metadata = as_object(error.get("metadata"))
    request_id = as_text(top.get("request_id")) or as_text(error.get("request_id")) or None
    return ErrorFound(
        _clip(message or next(iter(words), "") or "unnamed error"),
        next(iter(words), "") or next((code for code in codes if code and code != "error"), ""),
        status,
        request_id,
        _clip(as_text(metadata.get("raw")) or as_text(metadata.get("provider_name"))),
    )


def _from_lone(top: JsonObject) -> ErrorFound | None:
    """Shapes without the word error, where nothing but the error is in the object."""
    if detail := _from_detail(top.get("detail")):
        return ErrorFound(_clip(detail))
    if errors := as_list(top.get("errors")):
        return _from_error(errors, top)
    for message_key, code_key in (
        ("error_msg", "error_code"),
        ("error_message", "error_code"),
        ("errorMessage", "errorType"),
        ("message", "code"),
        ("msg", "code"),
        ("message", "status"),
        ("message", "statusCode"),
        ("message", "__type"),
        ("Message", "Code"),
    ):
        message = top.get(message_key)
        if isinstance(message, str) and message and (code_key in top or message_key != "message"):
            code = as_label(top.get(code_key))
            return ErrorFound(_clip(message), code, is_sure=_is_bad(code, is_state=code_key == "status"))
    message = top.get("message")
    if isinstance(message, str) and message and not top.get("choices"):
        # All that an API gateway says of a timeout, but also what a server says while it loads a model.
        return ErrorFound(_clip(message), is_sure=False)
    return _from_exception(top)


def _is_bad(code: str, *, is_state: bool) -> bool:
    """Whether a code beside a message leaves no doubt. A state may be one of progress."""
    if code.isdigit() or not code:
        return _FINE.fullmatch(code) is None
    return code.lower() not in _FINE_WORDS and (not is_state or is_error_name(code))


def _from_exception(top: JsonObject) -> ErrorFound | None:
    """An object whose only member is named after what went wrong, as Bedrock sends it."""
    for name, value in top.items():
        fields = as_object(value)
        if len(top) == 1 and is_error_name(name) and fields:
            return _from_object({"code": name, **fields}, top)
    return None


def _from_detail(detail: object) -> str:
    """FastAPI: a text, or a list of objects that say where and what."""
    if isinstance(detail, str):
        return detail
    found: list[str] = []
    for entry in as_list(detail):
        fields = as_object(entry)
        where = ".".join(as_label(step) for step in as_list(fields.get("loc")))
        what = as_label(fields.get("msg")) or as_label(entry)
        if what:
            found.append(f"{what} ({where})" if where else what)
    if not found and isinstance(detail, dict):
        return as_label(detail.get("message")) or as_label(detail.get("msg")) or as_label(detail.get("error"))
    return "; ".join(found)


def _clip(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
