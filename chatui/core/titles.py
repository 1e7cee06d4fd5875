"""A title from the first exchange, without asking anybody.

Invariant: one line of the person's own words where they say something; the answer speaks only where the
prompt is a greeting.
"""

import re
from typing import Final

from chatui.core.late_pattern import late_pattern

LONGEST: Final = 60
_MARKS: Final = late_pattern(r"^[\s#>*`_~-]+|[\s*`_~]+$")
_GREETING: Final = late_pattern(
    r"(?:hi|hey|hello|hallo|hola|salut|bonjour|ciao|moin|test"
    r"|good (?:morning|evening|afternoon)|guten (?:tag|morgen))"
    r"(?: there| all)?(?:\s*[,.!?]+\s*|\s*$)",
    re.IGNORECASE,
)
_EMPHASIS: Final = late_pattern(
    r"(\*\*|__|~~|`+)(?=\S)(.{1,80}?)(?<=\S)\1"
    r"|\[([^\]\[]{1,80})\]\([^()]{1,300}\)"
)
MOST_READ: Final = 400
"""A title is made of less than this much of a line."""
_SENTENCE: Final = late_pattern(r"(?<=[.!?。！？])\s+")


def title_of(prompt: str, answer: str) -> str:
    """A title of at most `LONGEST` characters; empty if nothing was said."""
    first = _first_line(prompt)
    said = _GREETING.sub("", first, count=1) if _GREETING.match(first) else first
    return _shortened(_capital(said or _first_line(answer) or first))


def _first_line(text: str) -> str:
    """The first line of prose; of a text that is only code, its first line."""
    is_code = False
    first_of_code = ""
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
            continue
        words = _MARKS.sub("", _EMPHASIS.sub(r"\2\3", line[:MOST_READ]))
        if not any(character.isalnum() for character in words):
            continue
        if not is_code:
            return words
        first_of_code = first_of_code or words
    return first_of_code


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    first = _SENTENCE.split(text, maxsplit=1)[0]
    text = first if len(first) >= 12 else text
    if len(text) <= LONGEST:
        return text.rstrip(" .:,;")
    cut = text[: LONGEST - 1]
    head = cut.rpartition(" ")[0]
    return (head if len(head) > LONGEST // 2 else cut).rstrip(" .:,;") + "…"
