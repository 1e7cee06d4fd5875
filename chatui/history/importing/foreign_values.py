"""Members of other programs' files: read as what they should be, whatever they are.

Invariants: a member of another type is empty, never an error; what has no place here is kept and reported.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from chatui.core.messages import Role, TextPart

ROLES: Mapping[str, Role] = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "gpt": Role.ASSISTANT,
    "chatgpt": Role.ASSISTANT,
    "bing": Role.ASSISTANT,
    "bard": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
    "observation": Role.TOOL,
    "function_response": Role.TOOL,
}


def role_of(word: object, unmapped: Counter[str]) -> Role:
    """The role that a word of another program means; an unknown one counts as a person and is reported."""
    role = ROLES.get(str(word).lower())
    if role is None:
        unmapped[f"messages of the role {str(word)[:40]!r} (kept as prompts)"] += 1
        return Role.USER
    return role


def as_json_text(value: object, kind: object, what: str, unmapped: Counter[str]) -> TextPart:
    """What has no place here, kept as it is written; `what` names its sort in the report."""
    unmapped[f"{what} of the type {str(kind)[:40]!r} (kept as JSON text)"] += 1
    return TextPart(json.dumps(value, ensure_ascii=False))


def seconds(value: object) -> float:
    """A point in time of another program, as seconds since 1970 UTC; 0 if there is none that we can read."""
    if isinstance(value, bool):
        return 0.0
    if isinstance(value, int | float):
        at = float(value)
        for divisor in (1.0, 1e3, 1e6, 1e9):  # seconds, milliseconds, microseconds, nanoseconds
            if 0 < at / divisor < 1e11:
                return at / divisor
        return 0.0
    if isinstance(value, str) and value:
        try:
            at_time = datetime.fromisoformat(value)
        except ValueError:
            return 0.0
        return (at_time if at_time.tzinfo else at_time.replace(tzinfo=UTC)).timestamp()
    return 0.0


def fingerprint(value: object) -> str:
    """A short name that equal values share."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def text_of(value: object) -> str:
    """A member that should be text; empty if it is none."""
    return value if isinstance(value, str) else ""


def object_of(value: object) -> dict[str, Any]:
    """A member that should be an object; empty if it is none."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """A member that should be a list; empty if it is none."""
    return value if isinstance(value, list) else []


def without(value: Mapping[str, object], *known: str) -> dict[str, object]:
    """The members that have no place here and say something."""
    return {
        name: member
        for name, member in value.items()
        if name not in known and member not in (None, "", [], {})
    }
