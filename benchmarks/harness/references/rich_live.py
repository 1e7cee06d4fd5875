"""What many clients do: `rich.live` renders the whole answer again, 12 times a second."""

import json
import sys
import time
from typing import Final

import httpx
from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown

FRAME_S: Final = 0.08


def main(base_url: str, model: str) -> None:
    """Ask once, show, wait for Enter."""
    sys.stdout.write("READY7Q\n")
    sys.stdout.flush()
    input()
    text = ""
    shown_s = 0.0
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": "stream now"}]}
    with (
        httpx.Client(timeout=None) as client,
        client.stream("POST", f"{base_url}/chat/completions", json=body) as answer,
        Live(console=Console(), auto_refresh=False, vertical_overflow="crop") as live,
    ):
        for line in answer.iter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                choices = json.loads(line[6:])["choices"]
                if choices and (delta := choices[0]["delta"].get("content")):
                    text += delta
                    if time.monotonic() - shown_s > FRAME_S:
                        live.update(Markdown(text), refresh=True)
                        shown_s = time.monotonic()
        live.vertical_overflow = "visible"
        live.update(Markdown(text), refresh=True)
    input()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
