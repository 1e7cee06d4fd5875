"""Addresses that stand in running text without any brackets, and those in angles.

Guards: an address is a link only if its whole domain is one; what follows it in a sentence is not part of
it. Source: GFM 6.9 (extended autolinks), CommonMark 0.31.2 section 6.5.
"""

import re
from typing import Final

from chatui.core.late_pattern import late_pattern
from chatui.markdown.inline_state import WAIT, InlineState
from chatui.markdown.nodes import Kind, Node

_REACH: Final = 2048
"""Characters of an address, at most."""
_CJK_MARKS: Final = (
    "\u3000-\u3003\u3008-\u3011\u3014-\u301b\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\u201c\u201d"
)
"""Marks of scripts that put no blank after an address."""
_ADDRESS_END: Final = late_pattern(rf"[\s<>\"`\\\x00-\x1f{_CJK_MARKS}]")
_MAIL_END: Final = late_pattern(r"[^A-Za-z0-9_.-]")
_SCHEME_BEFORE: Final = late_pattern(r"(?:^|[^A-Za-z])(https?|ftp)\Z", re.IGNORECASE)
_LOCAL_BEFORE: Final = late_pattern(r"[A-Za-z0-9._+-]+\Z")
_BODY: Final = late_pattern(r"(?:[^\[\]{}]+|\[[^\[\]]*\]|\{[^{}]*\})*")
"""An unpaired bracket ends it."""
_DOMAIN: Final = late_pattern(r"[^\W_][\w-]*(?:\.[\w-]+)*|\[[0-9A-Fa-f:.]+\]")
_MAIL_DOMAIN: Final = late_pattern(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+")
_ENTITY_END: Final = late_pattern(r"&[A-Za-z0-9]+;\Z")
_IN_ANGLES: Final = late_pattern(r"[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*\Z")
_MAIL_IN_ANGLES: Final = late_pattern(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*\Z"
)


_TRAILING: Final = frozenset("?!.,:*_~'")
"""Marks that end the sentence, not the address."""


_LONGEST_MAIL: Final = 254
_LONGEST_LOCAL: Final = 64
_LONGEST_SCHEME: Final = 6


def read_scheme(state: InlineState, at: int, size: int, *, is_final: bool) -> int:
    """Read `://`; returns where to go on, or WAIT."""
    text = state.text
    scheme = scheme_before(state, at)
    if not scheme or at < state.no_address_before:
        return at + 1
    if at + 3 < size and not (text[at + 3].isalnum() or text[at + 3] == "["):
        return at + 1
    return _read_address(state, at - len(scheme), at + 3, size, "", is_final=is_final)


def scheme_before(state: InlineState, at: int) -> str:
    """The scheme of a web address that stands right before `://`, or nothing."""
    found = _SCHEME_BEFORE.search(state.text[max(state.text_start, at - _LONGEST_SCHEME) : at])
    return found[1] if found else ""


def read_www(state: InlineState, at: int, size: int, *, is_final: bool) -> int:
    """Read `www.`; returns where to go on, or WAIT."""
    if at < state.no_address_before:
        return at + 1
    return _read_address(state, at, at + 4, size, "http://", is_final=is_final)


def _read_address(
    state: InlineState, begin: int, domain_at: int, size: int, scheme: str, *, is_final: bool
) -> int:
    text, limit = state.text, begin + _REACH
    found = _ADDRESS_END.search(text, max(state.seen, domain_at), min(size, limit))
    stop = found.start() if found else min(size, limit)
    state.look(domain_at, stop)
    if found is None and size < limit and not is_final:
        return WAIT
    region = text[begin:stop]
    count = bare_address(region, domain_at - begin)
    target = safe_target(scheme + region[:count]) if count else None
    if target is None:
        state.no_address_before = stop
        return domain_at
    return state.take_looked(Node(Kind.ADDRESS, region[:count], target), begin, domain_at, begin + count)


def read_mail(state: InlineState, at: int, size: int, *, is_final: bool) -> int:
    """Read the `@` of a mail address; returns where to go on, or WAIT."""
    text = state.text
    local = _LOCAL_BEFORE.search(text[max(state.text_start, at - _LONGEST_LOCAL) : at])
    if local is None:
        return at + 1
    limit = at + _LONGEST_MAIL
    found = _MAIL_END.search(text, max(state.seen, at + 1), min(size, limit))
    end = found.start() if found else min(size, limit)
    state.look(at + 1, end)
    if found is None and size < limit and not is_final:
        return WAIT
    stop = mail_domain(text, at, end)
    if not stop:
        return at + 1
    begin = at - len(local[0])
    address = text[begin:stop]
    if text.endswith("mailto:", state.text_start, begin):
        begin -= len("mailto:")
    target = safe_target(f"mailto:{address}")
    if target is None:
        return at + 1
    return state.take_looked(Node(Kind.ADDRESS, text[begin:stop], target), begin, at + 1, stop)


def bare_address(region: str, domain_at: int) -> int:
    """How much of a text without blanks is an address; 0 if it is none.

    Args:
        region: Text that begins with the scheme or `www.`.
        domain_at: Where the domain begins in it.
    """
    domain = _DOMAIN.match(region, domain_at)
    if domain is None or any("_" in part for part in domain[0].split(".")[-2:]):
        return 0
    body = _BODY.match(region, domain.end())
    size = body.end() if body else domain.end()
    over = region.count(")", 0, size) - region.count("(", 0, size)
    while size > domain_at:
        last = region[size - 1]
        if last == ")" and over > 0:
            over -= 1
        elif last == ";":
            entity = _ENTITY_END.search(region, max(size - 40, 0), size)
            size = entity.start() + 1 if entity else size
        elif last not in _TRAILING:
            break
        size -= 1
    return size


def mail_domain(text: str, at: int, stop: int) -> int:
    """Where the domain of a mail address that begins after `at` ends; 0 if it is none."""
    found = _MAIL_DOMAIN.match(text, at + 1, stop)
    if found is None:
        return 0
    rest = text[found.end() : stop]
    # The dots of a sentence may follow; `pkg@1.2.3` is a version.
    return found.end() if text[found.end() - 1].isalpha() and not rest.strip(".") else 0


def safe_target(address: str) -> str | None:
    """An address as a target, or None if it may be none (`javascript:`)."""
    from chatui.markdown.borrowed import normalizeLink, validateLink

    target = normalizeLink(address)
    return target if validateLink(target) else None


def angle_address(inside: str) -> tuple[str, str] | None:
    """What is shown of an address in angles and where it leads, or None if it is none."""
    if _IN_ANGLES.match(inside):
        target = safe_target(inside)
    elif _MAIL_IN_ANGLES.match(inside):
        target = safe_target("mailto:" + inside)
    else:
        return None
    if target is None:
        return None
    return inside, target
