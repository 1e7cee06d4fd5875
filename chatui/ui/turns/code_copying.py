"""Which code block is copied: the last one in sight, and the one before it when asked again."""

from collections.abc import Iterable

from chatui.ui.turns.turn_list import TurnList

TURNS_LOOKED_AT = 50


class CodeCopying:
    """Walks backwards through the code blocks in sight."""

    def __init__(self) -> None:
        self._sources: tuple[str, ...] = ()
        self._at = 0

    def next(self, turns: TurnList, seen: Iterable[int], top: int, stop: int) -> tuple[str, int, int] | None:
        """Source, number and total of the block to copy, or None.

        Args:
            turns: The conversation.
            seen: The turns in the window.
            top: The first row of the window.
            stop: The row after its last.
        """
        sources = self._in_sight(turns, seen, top, stop) or self._latest(turns)
        if not sources:
            return None
        self._at = (self._at - 1) % len(sources) if sources == self._sources else len(sources) - 1
        self._sources = sources
        return sources[self._at], self._at + 1, len(sources)

    def _in_sight(self, turns: TurnList, seen: Iterable[int], top: int, stop: int) -> tuple[str, ...]:
        found: list[str] = []
        for index in seen:
            before = turns.before(index)
            for start, region in turns.view(index).code_regions():
                at = before + start
                if at + region.stop_line > top and at + region.first_line < stop:
                    found.append(region.source)
        return tuple(found)

    def _latest(self, turns: TurnList) -> tuple[str, ...]:
        for index in range(len(turns) - 1, max(-1, len(turns) - 1 - TURNS_LOOKED_AT), -1):
            if "```" in turns.turn(index).text or "~~~" in turns.turn(index).text:
                found = tuple(region.source for _, region in turns.view(index).code_regions())
                if found:
                    return found
        return ()
