"""The floor: prints each delta as it comes. Nothing that shows a stream in a terminal with Python can cost
less.
"""

import json
import sys

import httpx


def main(base_url: str, model: str) -> None:
    """Ask once, print, wait for Enter."""
    sys.stdout.write("READY7Q\n")
    sys.stdout.flush()
    input()
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": "stream now"}]}
    with (
        httpx.Client(timeout=None) as client,
        client.stream("POST", f"{base_url}/chat/completions", json=body) as answer,
    ):
        for line in answer.iter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                choices = json.loads(line[6:])["choices"]
                if choices and (text := choices[0]["delta"].get("content")):
                    sys.stdout.write(text)
                    sys.stdout.flush()
    sys.stdout.write("\n")
    sys.stdout.flush()
    input()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
