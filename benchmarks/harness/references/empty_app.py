"""The least that can be started with Textual: one word on the screen."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class EmptyApp(App[None]):
    """Nothing to do."""

    def compose(self) -> ComposeResult:
        """The mark that the benchmark waits for."""
        yield Static("READY7Q")


if __name__ == "__main__":
    EmptyApp().run()
