"""Make the pictures of the README: the real app in a real terminal, at a scripted server on loopback.

Run it from the repository's root: `.venv/bin/python docs/make_screenshots.py` (needs the `test` extra).
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.program import in_terminal  # noqa: E402 - tests/ is no package
from support.scripted_server import DONE, RESET, ScriptedServer, Step, Wait, chat_chunk, head  # noqa: E402 - the same
from support.terminal import App  # noqa: E402 - the same

PROMPT = "How does TCP slow start find the capacity of a path? Be brief, with a little code."
REASONING = (
    "They want the idea, not the RFC. Three points: the window starts small, doubles each round trip, and "
    "falls back at the first loss. A few lines of Python show the doubling. A table could show the first "
    "round trips."
)
ANSWER = """\
TCP begins **carefully** and speeds up until the path objects:

- It starts with a small *congestion window* of ten segments ([RFC 6928](https://rfc-editor.org/rfc/rfc6928)).
- Every acknowledgement opens the window by one segment, so it doubles each round trip.
- The first loss ends slow start; from there growth is linear.

```python
def next_window(window: int, threshold: int) -> int:
    if window < threshold:            # slow start
        return min(window * 2, threshold)
    return window + 1                 # congestion avoidance
```

| round trip | window (segments) | sent so far |
| ---------: | ----------------: | ----------: |
|          1 |                10 |          10 |
|          2 |                20 |          30 |
|          3 |                40 |          70 |
"""
CALL = {
    "index": 0,
    "id": "call_1",
    "function": {"name": "search_rfc", "arguments": '{"query": "initial window", "rfc": 6928}'},
}
USAGE = {"prompt_tokens": 37, "completion_tokens": 212, "total_tokens": 249}


PROVIDER = """\
provider = "example"
[providers.example]
base_url = "{base_url}"
default_model = "demo-model"
needs_key = false
"""


def pieces(text: str, field: str = "content") -> list[Step]:
    """Deltas of about a word each, at the pace of a quick model."""
    steps: list[Step] = []
    for word in text.split(" "):
        steps += [chat_chunk({field: word + " "}, model="demo-model"), Wait(0.02)]
    return steps


def whole_answer(server: ScriptedServer) -> None:
    """Reasoning, text, a tool call, usage."""
    end = chat_chunk({"tool_calls": [CALL]}), chat_chunk({}, "tool_calls", usage=USAGE), DONE
    server.play(head(), pieces(REASONING, "reasoning_content"), pieces(ANSWER), end)


def broken_answer(server: ScriptedServer) -> None:
    """The connection breaks in the middle."""
    server.play(head(), pieces(ANSWER.partition("- The first")[0]), RESET)


OTHERS = (
    ("SQLite or PostgreSQL for a small shop?", "**SQLite**, until two machines write at once."),
    ("A regular expression for ISO dates, please", '```python\nr"\\d{4}-\\d{2}-\\d{2}"\n```\n'),
    ("Three names for a grey cat", "1. Pebble\n2. Ash\n3. Monday\n"),
)


def some_answers(server: ScriptedServer) -> None:
    """One answer for each of some conversations."""
    for _, answer in OTHERS:
        server.play(head(), pieces(answer), chat_chunk({}, "stop", usage=USAGE), DONE)
    server.play(head(), pieces(ANSWER), chat_chunk({}, "stop", usage=USAGE), DONE)


def list_conversations(app: App) -> None:
    """Some conversations, and the list of them."""
    for prompt, _ in OTHERS:
        ask(app, prompt, "completed")
        app.keys("<c-n>")
        wait(app.wait("Things to try", 10))
    ask(app, PROMPT, "completed")
    app.keys("<c-r>")
    wait(app.wait("opens", 10))


def ask(app: App, prompt: str, badge: str) -> None:
    """Send a prompt and wait until it has this badge."""
    app.keys(prompt, "<enter>")
    wait(app.wait(badge, 30))
    app.settle()


PICTURES: dict[str, tuple[tuple[int, int], Callable[[ScriptedServer], None], Callable[[App], None]]] = {
    "completed": ((120, 40), whole_answer, lambda app: ask(app, PROMPT, "completed")),
    "broken": ((80, 24), broken_answer, lambda app: ask(app, PROMPT, "connection lost")),
    "list": ((120, 32), some_answers, list_conversations),
}


def main() -> None:
    """Write docs/chatui-*.svg."""
    for name, (size, play, act) in PICTURES.items():
        with ScriptedServer() as server, tempfile.TemporaryDirectory() as home:
            play(server)
            config = Path(home) / "config.toml"
            config.write_text(PROVIDER.format(base_url=server.base_url))
            with in_terminal(size=size, home=Path(home), env={"CHATUI_CONFIG_FILE": str(config)}) as app:
                wait(app.wait("Ask anything", 20))
                act(app)
                app.settle()
                app.screenshot(str(ROOT / "docs" / f"chatui-{name}.svg"))


def wait(found: object) -> None:
    """Stop where the app does not show what it should."""
    if not found:
        raise SystemExit("the app did not get there")


if __name__ == "__main__":
    main()
