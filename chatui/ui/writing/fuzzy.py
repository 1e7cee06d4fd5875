"""Fuzzy matching: the letters of what was typed, in order.

The closer together and the nearer to the beginnings of words the better.

Invariant: what begins with the query is better than what holds it, and that is better than scattered
letters.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
_SEPARATORS = "/\\-_. "


def fuzzy_score(query: str, text: str) -> int | None:
    """How well a text matches; None if it does not."""
    if not query:
        return 0
    wanted, given = query.casefold(), text.casefold()
    if given.startswith(wanted):
        return 1_000_000 - len(given)
    at = given.find(wanted)
    if at >= 0:
        is_word = given[at - 1] in _SEPARATORS
        return (600_000 if is_word else 300_000) - 10 * at - len(given)
    score, at, before = 0, 0, -2
    for letter in wanted:
        found = given.find(letter, at)
        if found < 0:
            return None
        score += 30 if found == before + 1 else 20 if found == 0 or given[found - 1] in _SEPARATORS else 1
        before, at = found, found + 1
    return score * 10 - len(given)


def best_matches(query: str, items: Iterable[Item], text_of: Callable[[Item], str], most: int) -> list[Item]:
    """The best matches, best first; equal ones stay in their order."""
    scored = [
        (-score, index, item)
        for index, item in enumerate(items)
        if (score := fuzzy_score(query, text_of(item))) is not None
    ]
    return [item for _, _, item in sorted(scored, key=lambda entry: entry[:2])[:most]]
