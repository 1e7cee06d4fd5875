"""Every wire case over real HTTP on loopback, with the transport, session and JSON that people get.

All cases are played once, at the same time in one event loop; each test then looks at one of them.
"""

import asyncio
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from contract.playing import PROTOCOLS, cases
from contract.wire.compare import compare
from contract.wire.serve import Server
from support.program import Ran, run_chatui

from chatui.cli.answer_printer import AnswerPrinter
from chatui.cli.turn_json import turn_json
from chatui.core.conversation import Conversation
from chatui.core.messages import user_message
from chatui.engine import deadlines
from chatui.engine.clock import SystemClock
from chatui.engine.session import ChatSession, Deadlines, Endpoint, TurnUpdate
from chatui.transport.httpx_transport import HttpxTransport
from chatui.wiring import load_protocol

pytestmark = pytest.mark.xdist_group("wire cases over HTTP")  # played once, in one process

KEY = "canary-0123456789"
AT_ONCE = 24
HANGS_S = 120
"""So much later than it should, a turn has not been slow on a loaded machine: it hangs."""
SLOW_S = 60.0
"""A case that is not about time may take so long: all are played at once, on whatever machine."""
CASES = {case["name"]: case for case in cases()}


@dataclass
class Played:
    """What one case left behind."""

    result: dict = field(default_factory=dict)
    printed: str = ""
    requests: list[dict] = field(default_factory=list)


async def play(case: dict, port: int, transport: HttpxTransport) -> Played:
    gap_s = case.get("client", {}).get("read_timeout_s", SLOW_S)
    out = io.StringIO()
    printer = AnswerPrinter(out)
    updates: list[TurnUpdate] = []

    def updated(update: TurnUpdate) -> None:
        updates.append(update)
        printer.update(update)

    session = ChatSession(
        endpoint=Endpoint(
            provider="case",
            protocol=load_protocol(PROTOCOLS[case["protocol"]]),
            base_url=f"http://127.0.0.1:{port}/v1",
            model=case["name"],
            api_key=KEY,
            deadlines=Deadlines(first_event_s=gap_s, gap_s=gap_s),
        ),
        transport=transport,
        store=None,
        clock=SystemClock(),
        conversation=Conversation(conversation_id="case"),
        on_update=updated,
    )
    turn = await session.send((user_message("hi"),))
    printer.end(updates[-1])
    return Played(adapted(json.loads(turn_json(turn, None))), out.getvalue())


def adapted(printed: dict) -> dict:
    """The object of `--json` in the words of the cases."""
    names = {
        "input_tokens": "prompt",
        "output_tokens": "completion",
        "total_tokens": "total",
        "cached_tokens": "cached",
        "reasoning_tokens": "reasoning",
    }
    usage = printed["usage"]
    return {
        **printed,
        "state": printed["phase"],
        "error": f"{printed['error']} {printed['hint']}",
        "usage": usage and {names[name]: value for name, value in usage.items()},
    }


async def play_all(cases: dict[str, dict]) -> dict[str, Played]:
    """Play cases at the same time, the heavy ones before."""
    server = Server(cases)
    listener = await asyncio.start_server(server.client, "127.0.0.1", 0, limit=1024 * 1024)
    server.port = listener.sockets[0].getsockname()[1]
    transport = HttpxTransport("chatui-tests")
    gate = asyncio.Semaphore(AT_ONCE)
    played: dict[str, Played] = {}

    async def one(case: dict) -> None:
        async with gate:
            played[case["name"]] = await asyncio.wait_for(
                play(case, server.port, transport), case.get("max_seconds", 10) + SLOW_S
            )

    heavy = [case for case in cases.values() if case["fault"] == "size"]
    for case in heavy:
        await one(case)
    # The slow ones first, so that their pauses pass while the others work.
    others = sorted(
        (case for case in cases.values() if case["fault"] != "size"),
        key=lambda case: case["fault"] not in ("timeout", "retry", "http_error", "after_end"),
    )
    await asyncio.gather(*(one(case) for case in others))
    await transport.aclose()
    listener.close()
    await asyncio.sleep(0.1)
    for entry in (*server.entries, *server.open_entries.values()):
        if entry["case"] in played:
            played[entry["case"]].requests.append(entry)
    return played


@pytest.fixture(scope="module")
def played() -> dict[str, Played]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", "*")
        patch.setattr(deadlines, "USAGE_GRACE_S", SLOW_S)  # cases about time have a gap that is shorter
        return asyncio.run(play_all(CASES))


@pytest.mark.parametrize("name", CASES)
def test_the_person_is_told_the_truth(name: str, played: dict[str, Played]) -> None:
    expect, one = CASES[name]["expect"], played[name]
    assert compare(expect, {**one.result, "requests": len(one.requests)}) == []
    for forbidden in expect.get("terminal_forbid", []):
        assert forbidden not in one.printed
    assert KEY not in json.dumps(one.result)
    assert KEY not in one.printed
    first_free = expect.get("no_credentials_from_request", len(one.requests) + 1)
    for entry in one.requests[first_free - 1 :]:
        assert not {"authorization", "x-api-key"} & {name.lower() for name, _ in entry["headers"]}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "min_gap_ms" in case["expect"]])
def test_a_server_that_asks_for_a_pause_gets_it(name: str, played: dict[str, Played]) -> None:
    times = sorted(entry["time"] for entry in played[name].requests)
    gap_ms = CASES[name]["expect"]["min_gap_ms"]
    assert all((later - earlier) * 1000 >= gap_ms for earlier, later in pairwise(times))


def test_the_right_endpoint_is_asked(played: dict[str, Played]) -> None:
    wrong = [entry["path"] for one in played.values() for entry in one.requests if entry["endpoint_mismatch"]]
    assert wrong == []


@pytest.fixture(scope="module")
def serving() -> Iterator[int]:
    """The cases served for other processes, from a thread."""
    import threading

    loop = asyncio.new_event_loop()
    ready = threading.Event()
    port = 0

    async def listen() -> None:
        nonlocal port
        server = Server(CASES)
        listener = await asyncio.start_server(server.client, "127.0.0.1", 0, limit=1024 * 1024)
        port = server.port = listener.sockets[0].getsockname()[1]
        ready.set()

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(listen())
        loop.run_forever()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait(10)
    yield port
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("chat_basic", 0),
        ("chat_tr_reset_mid_text", 3),
        ("chat_http_401_json", 4),
        ("msg_ct_html_200", 5),
        ("resp_gzip_sse", 0),
        ("chat_retry_429_then_200", 0),
    ],
)
def test_the_command_prints_the_same(name: str, code: int, serving: int) -> None:
    case = CASES[name]
    ran = ask(serving, case)
    assert ran.code == code, ran.err
    assert compare({**case["expect"], "requests": 3}, adapted(ran.answer)) == []
    assert KEY not in ran.out + ran.err


def ask(port: int, case: dict) -> Ran:
    where = ("--base-url", f"http://127.0.0.1:{port}/v1", "--protocol", PROTOCOLS[case["protocol"]])
    return run_chatui(
        "ask", "hi", "--json", "--no-save", *where, "-m", case["name"], env={"CHATUI_API_KEY": KEY}
    )
