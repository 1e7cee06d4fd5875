"""Heights of many turns with quick sums: a Fenwick tree, so that a change or a look-up costs log(n).

Invariant: `before(i)` is the sum of the heights of the turns 0 to i-1; `find` inverts it.
"""

from collections.abc import Iterable


class Heights:
    """Heights by index; grows and shrinks at the end."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._build()

    def _build(self) -> None:
        size = len(self._heights)
        tree = [0, *self._heights]
        for index in range(1, size + 1):
            parent = index + (index & -index)
            if parent <= size:
                tree[parent] += tree[index]
        self._tree = tree
        self._total = sum(self._heights)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    @property
    def total(self) -> int:
        """Sum of all."""
        return self._total

    def __setitem__(self, index: int, height: int) -> None:
        change = height - self._heights[index]
        if not change:
            return
        self._heights[index] = height
        self._total += change
        at = index + 1
        while at < len(self._tree):
            self._tree[at] += change
            at += at & -at

    def append(self, height: int) -> None:
        """One more at the end."""
        at = len(self._heights) + 1
        value = height
        step = 1
        while step < (at & -at):
            value += self._tree[at - step]
            step <<= 1
        self._heights.append(height)
        self._tree.append(value)
        self._total += height

    def pop(self) -> None:
        """One less at the end."""
        self._total -= self._heights.pop()
        self._tree.pop()

    def before(self, index: int) -> int:
        """Sum of the heights before this index."""
        total = 0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def find(self, row: int) -> tuple[int, int]:
        """The index whose rows contain `row`, and the row inside of it; the last row when past the end."""
        if not self._heights:
            return 0, 0
        at = 0
        left = row
        step = 1 << (len(self._heights).bit_length())
        while step:
            nxt = at + step
            if nxt < len(self._tree) and self._tree[nxt] <= left:
                at = nxt
                left -= self._tree[nxt]
            step >>= 1
        if at >= len(self._heights):
            return len(self._heights) - 1, max(0, self._heights[-1] - 1)
        return at, max(0, left)
