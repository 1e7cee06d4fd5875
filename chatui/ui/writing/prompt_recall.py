"""What Up and Down bring back into the composer: prompts of before, and at the end what was being written.

Invariant: going up and down again ends at the text that was there, to the letter.
"""

from collections.abc import Sequence


class PromptRecall:
    """Prompts, oldest first, and the one that is shown, if one is."""

    def __init__(self) -> None:
        self._prompts: list[str] = []
        self._at: int | None = None
        self._unsent = ""

    def use(self, prompts: Sequence[str]) -> None:
        """Other prompts, oldest first."""
        self._prompts = [prompt for prompt in prompts if prompt.strip()]
        self._at = None

    @property
    def prompts(self) -> Sequence[str]:
        """All of them, oldest first."""
        return tuple(self._prompts)

    @property
    def is_shown(self) -> bool:
        """The composer shows one of them."""
        return self._at is not None

    def end(self) -> None:
        """What is in the composer now is new."""
        self._at = None

    def remember(self, prompt: str) -> None:
        """Keep a prompt (or a stashed draft)."""
        if prompt.strip() and (not self._prompts or self._prompts[-1] != prompt):
            self._prompts.append(prompt)
        self._at = None

    def step(self, step: int, written: str) -> str | None:
        """The text that comes next on the way up (-1) or down (1); None: there is none.

        Args:
            step: Which way.
            written: What is in the composer now.
        """
        if self._at is None:
            if step > 0 or not self._prompts:
                return None
            self._unsent = written
            at = len(self._prompts) - 1
        else:
            at = self._at + step
        if at < 0:
            return None
        if at >= len(self._prompts):
            self._at = None
            return self._unsent
        self._at = at
        return self._prompts[at]
