"""What Textual offers for this: `Markdown` fed by a `MarkdownStream`, as its documentation shows it."""

import json
import sys

from textual import work
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Markdown
from textual.worker import Worker


class MarkdownStreamApp(App[None]):
    """A transcript and an input line."""

    CSS = "Input { dock: bottom; } VerticalScroll { height: 1fr; }"
    BINDINGS = [("escape", "stop", "Stop")]  # noqa: RUF012 - Textual's way

    def __init__(self, base_url: str, model: str) -> None:
        super().__init__()
        self._base_url = base_url
        self._model = model
        self._running: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """One page and one line."""
        with VerticalScroll():
            yield Markdown("READY7Q")
        yield Input(placeholder="type here")

    def on_mount(self) -> None:
        """Keys go to the line."""
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ask."""
        prompt, event.input.value = event.value, ""
        self._running = self._ask(prompt)

    def action_stop(self) -> None:
        """Stop the answer."""
        if self._running is not None:
            self._running.cancel()

    @work
    async def _ask(self, prompt: str) -> None:
        import httpx

        page = self.query_one(VerticalScroll)
        markdown = Markdown()
        await page.mount(markdown)
        page.anchor()
        stream = Markdown.get_stream(markdown)
        body = {"model": self._model, "stream": True, "messages": [{"role": "user", "content": prompt}]}
        try:
            async with (
                httpx.AsyncClient(timeout=None) as client,
                client.stream("POST", f"{self._base_url}/chat/completions", json=body) as answer,
            ):
                async for line in answer.aiter_lines():
                    if line.startswith("data: ") and line != "data: [DONE]":
                        choices = json.loads(line[6:])["choices"]
                        if choices and (text := choices[0]["delta"].get("content")):
                            await stream.write(text)
        finally:
            await stream.stop()


if __name__ == "__main__":
    MarkdownStreamApp(sys.argv[1], sys.argv[2]).run()
