"""Recordings: the same wire again, no secrets, and never in the way of an answer."""

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scripted_server import DONE, chat_chunk
from support.scripted_transport import STALL, Head, Pause, ScriptedTransport, Step
from support.virtual_time import VirtualClock

from chatui.core.conversation import Conversation
from chatui.core.errors import ConfigError, ConnectFailed, ConnectionLost, FailureReason, WireError
from chatui.core.messages import user_message
from chatui.core.turn import Phase, Turn
from chatui.core.wire import Dialect
from chatui.engine.session import ChatSession, Deadlines, Endpoint
from chatui.transport.recording import RecordingTransport
from chatui.transport.replay import ReplayTransport, recorded_dialect, recorded_prompt
from chatui.transport.wire_file import Ending, chunk_line, parse_wire_lines, read_wire_file
from chatui.wiring import load_protocol, replay_session

KEY = "secret-key-0123456789"
GOOD = (chat_chunk("Hel"), Pause(2), chat_chunk("lo"), chat_chunk({}, "stop"), DONE)


def session(transport: object, clock: object) -> ChatSession:
    return ChatSession(
        endpoint=Endpoint(
            provider="p",
            protocol=load_protocol("chat_completions"),
            base_url="http://model.test/v1?key=in-the-query",
            model="m",
            api_key=KEY,
            dialect=Dialect(unsupported=("user",), has_think_tags=False),
            deadlines=Deadlines(gap_s=30),
            max_retries=0,
        ),
        transport=transport,  # type: ignore[arg-type]  # every transport of these tests has its shape
        store=None,
        clock=clock,  # type: ignore[arg-type]  # and every clock
        conversation=Conversation(conversation_id="c"),
        on_update=lambda _update: None,
    )


async def recorded(directory: Path, *steps: Step) -> tuple[Turn, Path]:
    clock = VirtualClock()
    transport = RecordingTransport(ScriptedTransport(clock).answer(*steps))
    transport.record_to(directory)
    turn = await clock.run(session(transport, clock).send((user_message("why?"),)))
    (file,) = directory.glob("*.wire.jsonl")
    return turn, file


def same(turn: Turn) -> Turn:
    """A turn without what differs from run to run."""
    plain = Turn(turn_id=turn.turn_id)
    return replace(
        turn, turn_id="", timing=plain.timing, started_at_epoch_s=0.0, input=(), requests=0, provider=""
    )  # type: ignore[arg-type]  # an id that no turn has


@pytest.mark.parametrize(
    ("steps", "ending"),
    [
        ((Head(), *GOOD), Ending.CLOSED),
        ((Head(), GOOD[0]), Ending.COMPLETE),
        ((Head(), GOOD[0], ConnectionLost("The connection broke")), Ending.CONNECTION_LOST),
        ((Head(), GOOD[0], WireError("no HTTP")), Ending.WIRE_ERROR),
        ((Head(401, "application/json"), b'{"error":{"message":"no"}}'), Ending.COMPLETE),
        ((ConnectFailed("refused"),), Ending.CONNECT_FAILED),
    ],
    ids=["completed", "no proof", "cut", "broken", "refused by status", "no connection"],
)
async def test_a_replay_ends_as_the_recorded_turn_did(
    tmp_path: Path, steps: tuple[Step, ...], ending: Ending
) -> None:
    turn, file = await recorded(tmp_path, *steps)
    record = read_wire_file(file)
    assert record.ending is ending
    replaying, prompt = replay_session(str(file), 0.0, lambda _update: None)
    again = await replaying.send(prompt)
    assert prompt[0].text == "why?"
    assert same(again) == same(turn)


async def test_a_stalled_answer_replays_as_the_break_at_which_we_stopped(tmp_path: Path) -> None:
    turn, file = await recorded(tmp_path, Head(), GOOD[0], STALL)
    assert turn.failure is not None
    replaying, prompt = replay_session(str(file), 0.0, lambda _update: None)
    again = await replaying.send(prompt)
    assert again.text == turn.text == "Hel"
    assert again.failure is not None
    assert again.failure.reason is FailureReason.DISCONNECT


async def test_no_key_is_written_and_nobody_else_can_read_the_file(tmp_path: Path) -> None:
    directory = tmp_path / "wires"
    body = json.dumps({"error": {"message": f"bad key {KEY}"}}).encode()
    _, file = await recorded(directory, Head(401, "application/json", {"set-cookie": "session=abc123"}), body)
    text = file.read_text(encoding="utf-8")
    assert KEY not in text
    assert "abc123" not in text
    assert "in-the-query" not in text
    assert '"authorization":"<28 characters>"' in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


async def test_a_key_in_the_address_is_neither_written_nor_shown_when_the_server_repeats_it(
    tmp_path: Path,
) -> None:
    body = json.dumps({"error": {"message": "in-the-query is not known here"}}).encode()
    turn, file = await recorded(tmp_path, Head(401, "application/json"), body)
    assert "in-the-query" not in file.read_text(encoding="utf-8")
    assert turn.failure is not None
    assert "is not known here" in turn.failure.message
    assert "in-the-query" not in turn.failure.message


async def test_a_recording_says_how_it_was_made(tmp_path: Path) -> None:
    _, file = await recorded(tmp_path, Head(), *GOOD)
    record = read_wire_file(file)
    assert (record.about["protocol"], record.about["model"]) == ("chat_completions", "m")
    assert recorded_dialect(record) == Dialect(unsupported=("user",), has_think_tags=False)
    assert recorded_prompt(record) == "why?"


async def test_the_original_timing_can_be_had_at_any_speed(tmp_path: Path) -> None:
    _, file = await recorded(tmp_path, Head(), *GOOD)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    timed = [json.loads(line) for line in lines]
    for number, line in enumerate(timed[1:]):
        line["ms"] = number * 1000.0
    record = parse_wire_lines([json.dumps(line) + "\n" for line in timed], "timed")
    for speed, seconds in ((1.0, 3.0), (2.0, 1.5), (0.0, 0.0)):
        clock = VirtualClock()
        before_s = clock.now_s
        turn = await clock.run(session(ReplayTransport(record, clock, speed), clock).send(()))
        assert turn.phase is Phase.COMPLETED
        assert clock.now_s - before_s == pytest.approx(seconds, abs=1.01)


async def test_a_full_disk_ends_the_recording_and_not_the_answer(tmp_path: Path) -> None:
    clock = VirtualClock()
    transport = RecordingTransport(ScriptedTransport(clock).answer(Head(), *GOOD))
    transport.record_to(tmp_path / "gone")
    os.rmdir(tmp_path / "gone")
    turn = await clock.run(session(transport, clock).send((user_message("hi"),)))
    assert turn.phase is Phase.COMPLETED
    assert "cannot be written" in transport.trouble


def test_a_directory_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="file"):
        RecordingTransport(ScriptedTransport(VirtualClock())).record_to(tmp_path / "file" / "below")


async def test_recording_can_be_switched_on_and_off_between_turns(tmp_path: Path) -> None:
    clock = VirtualClock()
    inner = ScriptedTransport(clock).answer(Head(), *GOOD).answer(Head(), *GOOD)
    transport = RecordingTransport(inner)
    one = session(transport, clock)
    await clock.run(one.send((user_message("hi"),)))
    transport.record_to(tmp_path)
    await clock.run(one.send((user_message("hi"),)))
    assert len(list(tmp_path.glob("*.wire.jsonl"))) == 1


async def test_a_recording_that_was_killed_is_a_lost_connection(tmp_path: Path) -> None:
    _, file = await recorded(tmp_path, Head(), *GOOD)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    record = parse_wire_lines([*lines[:3], lines[3][:20]], "cut")
    assert record.ending is Ending.CONNECTION_LOST
    assert len(record.chunks) == 1


@given(st.binary(max_size=200))
def test_the_bytes_of_a_chunk_come_back_exactly(content: bytes) -> None:
    header = '{"chatui_wire":1}\n'
    record = parse_wire_lines([header, chunk_line(1.0, content)], "x")
    assert record.chunks[0].content == content


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "empty"),
        ("hello\n", ":1"),
        ('{"chatui_wire":99}\n', "newer"),
        ("[]\n", ":1"),
        ('{"chatui_wire":1}\n{"ms":1}\n', ":2"),
        ('{"chatui_wire":1}\n{"ms":1,"base64":"?"}\n', ":2"),
        ('{"chatui_wire":1}\n{"ms":1,"base64":"?"}\n{"ms":2,"end":"complete"}\n', ":2"),
    ],
)
def test_what_is_no_recording_is_refused_with_file_and_line(tmp_path: Path, text: str, where: str) -> None:
    file = tmp_path / "file.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_wire_file(file)
    assert str(file) in caught.value.message
    assert where in caught.value.message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.jsonl"):
        read_wire_file(tmp_path / "nothing.jsonl")
