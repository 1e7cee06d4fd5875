"""Answer text that may hold reasoning in tags, on its way to the sink.

Invariant: text that cannot hold a tag passes without being copied; what is held back is given by `close`.
"""

from chatui.core.event_sink import EventSink, Growth
from chatui.core.events import PartFinished, PartKey, TextReclassified
from chatui.core.think_tags import PieceKind, ThinkSplitter


class TaggedText:
    """One stream of content: splits it into a text part and, where there are tags, a reasoning part."""

    __slots__ = ("_after_key", "_count", "_reasoning", "_reasoning_key", "_sink", "_splitter", "text_key")

    def __init__(
        self,
        sink: EventSink,
        text_key: PartKey,
        reasoning_key: PartKey,
        after_key: PartKey,
        *,
        has_tags: bool,
    ) -> None:
        """`after_key` takes the text that follows when what `text_key` got turns out to be reasoning."""
        self._sink = sink
        self.text_key = text_key
        self._reasoning_key = reasoning_key
        self._after_key = after_key
        self._splitter = ThinkSplitter(has_tags=has_tags)
        self._count = 0
        """Deltas whose text is held back."""
        self._reasoning: list[str] = []

    def feed(self, text: str, count: int = 1) -> None:
        """More content, of `count` deltas."""
        if self._splitter.is_plain(text) and not self._count:
            self._sink.grow(Growth.TEXT, self.text_key, text, count)
        else:
            self._count += count
            self._put(self._splitter.feed(text))

    def close(self) -> None:
        """There is no more."""
        self._put(self._splitter.close())
        if self._count:
            # Deltas that were nothing but tags or the space around them are counted all the same.
            self._put([(PieceKind.TEXT, "")])

    def forbid_orphan(self) -> None:
        """Reasoning came by a channel of its own: a closing tag in the text means nothing."""
        self._splitter.forbid_orphan()

    def drop_repeat(self, reasoning: str) -> None:
        """Take back what tags gave as reasoning if a channel of its own gave just the same."""
        tagged = "".join(self._reasoning).strip()
        if tagged and tagged == reasoning.strip():
            self._sink.put(PartFinished(self._reasoning_key, ""))

    def _put(self, pieces: list[tuple[PieceKind, str]]) -> None:
        for kind, piece in pieces:
            match kind:
                case PieceKind.TEXT:
                    self._sink.grow(Growth.TEXT, self.text_key, piece, self._count)
                    self._count = 0
                case PieceKind.REASONING:
                    self._reasoning.append(piece)
                    self._sink.grow(Growth.REASONING, self._reasoning_key, piece, self._count)
                    self._count = 0
                case PieceKind.WAS_REASONING:
                    self._sink.put(TextReclassified(self.text_key))
                    self.text_key = self._after_key


def visible_text(content: str, *, has_tags: bool) -> str:
    """The answer in a whole content, without what its tags say is reasoning."""
    splitter = ThinkSplitter(has_tags=has_tags)
    visible: list[str] = []
    for kind, piece in (*splitter.feed(content), *splitter.close()):
        if kind is PieceKind.WAS_REASONING:
            visible.clear()
        elif kind is PieceKind.TEXT:
            visible.append(piece)
    return "".join(visible)
