"""A small MCP server for tests, run as a program: `python mcp_program.py KIND [FILE]`.

What it is asked goes to FILE, a message a line.
"""

import json
import os
import sys
import time

KIND = sys.argv[1] if len(sys.argv) > 1 else "good"
LOG = open(sys.argv[2], "a", encoding="utf-8") if len(sys.argv) > 2 else None  # noqa: SIM115 - open as long as it runs
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    {"name": "weather", "description": "Tells the weather.", "inputSchema": CITY},
    {"name": "odd.name/x", "description": "Has an odd name.", "inputSchema": {"type": "object"}},
    {"name": "fails", "inputSchema": {"type": "object"}},
    {"name": "picture", "inputSchema": {"type": "object"}},
    {"name": "slow", "inputSchema": {"type": "object"}},
    {"name": "dies", "inputSchema": {"type": "object"}},
    {"name": "environment", "inputSchema": {"type": "object"}},
    {"name": "bad", "inputSchema": {"type": "object", "properties": {"a": {"type": "nonsense"}}}},
    {"name": "far", "inputSchema": {"$ref": "http://127.0.0.1:9/schema"}},
    {"name": "", "inputSchema": {}},
    {"name": "odd name x", "inputSchema": {}},
]


def say(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def call(number: object, params: dict) -> None:
    name, arguments = params["name"], params["arguments"]
    match name:
        case "weather":
            say(id="ours", method="ping")
            say(id="ours too", method="sampling/createMessage", params={})
            text = {"type": "text", "text": f"sunny in {arguments['city']}"}
            say(id=number, result={"content": [text, {"type": "text", "text": "\x1b[2J"}]})
        case "fails":
            say(id=number, result={"content": [{"type": "text", "text": "no"}], "isError": True})
        case "picture":
            picture = {"type": "image", "data": "aGFsbG8=", "mimeType": "image/png"}
            link = {"type": "resource_link", "uri": "file:///x", "name": "x"}
            say(
                id=number,
                result={"content": [picture, link, {"type": "resource", "resource": {"text": "r"}}, 7]},
            )
        case "slow":
            pass
        case "dies":
            print("it hurts", file=sys.stderr, flush=True)
            sys.exit(3)
        case "environment":
            say(id=number, result={"content": [], "structuredContent": dict(os.environ)})
        case _:
            say(id=number, error={"code": -32602, "message": f"Unknown tool {name}"})


def answer(message: dict) -> None:
    number, method = message.get("id"), message.get("method")
    match method:
        case "initialize":
            say(
                id=number,
                result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {}},
            )
        case "tools/list":
            start = int(message["params"].get("cursor", "0"))
            page = {"tools": TOOLS[start : start + 4]}
            if KIND == "circle":
                say(id=number, result={"tools": TOOLS[start : start + 1], "nextCursor": "1"})
                return
            say(id=number, result=page if start + 4 >= len(TOOLS) else {**page, "nextCursor": str(start + 4)})
        case "tools/call":
            call(number, message["params"])


if KIND == "silent":
    time.sleep(600)
if KIND == "dead":
    print("no licence", file=sys.stderr, flush=True)
    sys.exit(1)
if KIND == "endless":
    while True:
        sys.stdout.write("x" * 1_000_000)
print("Server is starting...", flush=True)
print('[1, "no message"]', flush=True)
say(method="notifications/message", params={"level": "info"})
say(id=999, result={"nobody": "asked"})
for line in sys.stdin:
    if LOG is not None:
        print(line.strip(), file=LOG, flush=True)
    answer(json.loads(line))
