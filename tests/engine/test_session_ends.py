"""How a turn ends: proof, silence, broken connections, wrong bodies."""

import json
from dataclasses import replace

import pytest
from engine.sessions import KEY, Desk
from support.scripted_server import DONE, chat_chunk
from support.scripted_transport import STALL, Head, Pause

from chatui.core.errors import ConnectFailed, ConnectionLost, FailureReason, WireError
from chatui.core.request import Sampling
from chatui.core.turn import Phase, Turn
from chatui.engine.session import Endpoint, Stage, TurnUpdate
from chatui.wiring import load_protocol

GOOD = (chat_chunk("Hel"), chat_chunk("lo"), chat_chunk({}, "stop"), DONE)


def reason(turn: Turn) -> FailureReason | None:
    return turn.failure.reason if turn.failure else None


async def test_a_proven_answer_is_completed_and_its_connection_kept() -> None:
    desk = Desk().answer(*GOOD)
    turn = await desk.ask()
    assert (turn.phase, turn.text, turn.requests) == (Phase.COMPLETED, "Hello", 1)
    assert desk.stages == [Stage.CONNECTING, Stage.WAITING, Stage.RECEIVING, Stage.ENDED]
    assert desk.transport.responses[0].is_finished
    assert desk.transport.responses[0].is_closed


async def test_the_end_is_told_once_and_only_when_the_answer_is_saved() -> None:
    desk = Desk().answer(*GOOD)
    committed_when_told: list[list[Turn]] = []
    told = desk.session._on_update

    def note(update: TurnUpdate) -> None:
        if update.turn.phase is not Phase.RECEIVING:
            committed_when_told.append(list(desk.store.committed))
        told(update)

    desk.session._on_update = note
    turn = await desk.ask()
    assert committed_when_told == [[turn]]
    assert (desk.updates[-1].stage, desk.updates[-1].is_saved) == (Stage.ENDED, True)
    assert desk.session.conversation.path() == (turn,)


async def test_a_cut_answer_is_kept_before_its_end_is_told() -> None:
    desk = Desk().answer(chat_chunk("Hel"), ConnectionLost("reset"))
    kept: list[Turn] = []
    told = desk.session._on_update

    def note(update: TurnUpdate) -> None:
        if update.turn.phase is not Phase.RECEIVING:
            kept.extend(desk.session.conversation.unfinished)
        told(update)

    desk.session._on_update = note
    turn = await desk.ask()
    assert kept == [turn]
    assert desk.updates[-1].is_saved is False
    assert desk.updates[-1].save_error == ""


async def test_nobody_waits_for_a_server_that_does_not_hang_up() -> None:
    desk = Desk().answer(*GOOD, STALL)
    turn = await desk.ask()
    assert turn.phase is Phase.COMPLETED
    assert turn.timing.total_ms == pytest.approx(0, abs=1)


async def test_an_answer_that_goes_on_behind_its_finish_word_is_received_to_its_end() -> None:
    early = Desk().answer(
        *(chat_chunk("one ", "stop"), Pause(0.6), chat_chunk("two ", "stop"), Pause(0.6)),
        *(chat_chunk("three ", "stop"), Pause(5), chat_chunk("four", "stop"), Pause(5), DONE),
    )
    turn = await early.ask()
    assert (turn.phase, turn.text) == (Phase.COMPLETED, "one two three four")


async def test_usage_after_the_proof_is_waited_for_only_shortly() -> None:
    usage = chat_chunk({}, usage={"prompt_tokens": 3, "completion_tokens": 4})
    with_usage = Desk().answer(chat_chunk("Hello", "stop"), Pause(0.5), usage, DONE)
    turn = await with_usage.ask()
    assert turn.usage is not None
    assert turn.usage.output_tokens == 4
    without = Desk().answer(chat_chunk("Hello", "stop"), STALL)
    turn = await without.ask()
    assert (turn.phase, turn.usage) == (Phase.COMPLETED, None)
    assert turn.timing.total_ms == pytest.approx(1000)


async def test_silence_before_the_first_event_ends_at_its_limit_and_says_so() -> None:
    desk = Desk().answer(Pause(5), Head(), STALL)
    turn = await desk.ask()
    assert reason(turn) is FailureReason.TIMEOUT
    assert turn.failure is not None
    assert "m sent nothing for 60 s" in turn.failure.message
    assert "--first-event-timeout" in turn.failure.hint
    assert turn.timing.total_ms == pytest.approx(60_000)
    assert turn.requests == 1
    assert desk.transport.responses[0].is_closed


async def test_keep_alives_put_off_the_first_event_but_not_for_ever() -> None:
    comments = [step for _ in range(8) for step in (b": keep-alive\n\n", Pause(50))]
    desk = Desk().answer(*comments, *GOOD)
    assert (await desk.ask()).phase is Phase.COMPLETED
    endless = [step for _ in range(100) for step in (b": keep-alive\n\n", Pause(50))]
    desk = Desk().answer(*endless)
    turn = await desk.ask()
    assert reason(turn) is FailureReason.TIMEOUT
    assert turn.timing.total_ms == pytest.approx(600_000)


async def test_silence_in_the_middle_ends_at_the_gap_and_keeps_the_text() -> None:
    desk = Desk().answer(Pause(50), Head(), Pause(5), chat_chunk("Hel"), Pause(20), b": life\n\n", STALL)
    turn = await desk.ask()
    assert (reason(turn), turn.text) == (FailureReason.TIMEOUT, "Hel")
    assert turn.failure is not None
    assert "fell silent for 30 s" in turn.failure.message
    assert turn.timing.total_ms == pytest.approx(105_000)


async def test_keep_alives_put_off_the_next_event_but_not_for_ever() -> None:
    endless = [step for _ in range(100) for step in (b": keep-alive\n\n", Pause(20))]
    turn = await Desk().answer(chat_chunk("Hel"), *endless).ask()
    assert (reason(turn), turn.text) == (FailureReason.TIMEOUT, "Hel")
    assert turn.failure is not None
    assert "nothing but keep-alives for 300 s" in turn.failure.message
    assert turn.timing.total_ms == pytest.approx(300_000)


async def test_the_total_counts_over_keep_alives_and_text() -> None:
    drip = [step for _ in range(20) for step in (chat_chunk("a"), Pause(20))]
    desk = Desk().limits(total_s=90).answer(*drip)
    turn = await desk.ask()
    assert reason(turn) is FailureReason.TIMEOUT
    assert turn.text == "aaaaa"
    assert turn.timing.total_ms == pytest.approx(90_000)


async def test_a_connection_that_is_not_made_ends_at_its_own_limit() -> None:
    desk = Desk()
    desk.transport.answer(STALL)
    turn = await desk.ask()
    assert reason(turn) is FailureReason.TIMEOUT
    assert turn.failure is not None
    assert "No connection to http://model.test/v1 within 10 s" in turn.failure.message


async def test_no_limit_means_no_limit() -> None:
    desk = Desk().limits(first_event_s=None, gap_s=None, connect_s=None)
    desk.answer(Pause(5000), Head(), Pause(5000), chat_chunk("Hello"), Pause(5000), *GOOD[2:])
    assert (await desk.ask()).phase is Phase.COMPLETED


async def test_a_connection_that_breaks_keeps_the_text_and_says_how_much_came() -> None:
    desk = Desk().answer(chat_chunk("Hel"), ConnectionLost("The connection broke"))
    turn = await desk.ask()
    assert (reason(turn), turn.text) == (FailureReason.DISCONNECT, "Hel")
    assert turn.failure is not None
    assert "after 3 characters" in turn.failure.message
    assert turn.requests == 1


async def test_a_connection_that_breaks_after_the_proof_harms_nothing() -> None:
    desk = Desk().answer(*GOOD[:3], ConnectionLost("The connection broke"))
    assert (await desk.ask()).phase is Phase.COMPLETED


async def test_a_clean_end_without_proof_is_no_answer() -> None:
    turn = await Desk().answer(chat_chunk("Hel")).ask()
    assert reason(turn) in (FailureReason.PROTOCOL, FailureReason.DISCONNECT)
    assert turn.text == "Hel"


async def test_broken_framing_is_a_protocol_failure() -> None:
    turn = await Desk().answer(chat_chunk("Hel"), WireError("not HTTP")).ask()
    assert (reason(turn), turn.text) == (FailureReason.PROTOCOL, "Hel")


async def test_an_error_status_is_told_even_if_its_body_never_comes() -> None:
    turn = await Desk().answer(Head(401, "application/json"), b'{"error":', STALL).ask()
    assert reason(turn) is FailureReason.HTTP
    assert turn.failure is not None
    assert turn.failure.http_status == 401


async def test_a_key_that_the_server_repeats_is_not_shown() -> None:
    body = b'{"error":{"message":"bad key ' + KEY.encode() + b'"}}'
    turn = await Desk().answer(Head(401, "application/json"), body).ask()
    assert turn.failure is not None
    assert "bad key" in turn.failure.message
    assert KEY not in str(turn)


async def test_a_key_in_the_address_is_not_shown() -> None:
    desk = Desk(base_url="http://model.test/v1?api-version=3&key=hidden").answer(Head(404), b"no")
    turn = await desk.ask()
    assert turn.failure is not None
    assert "hidden" not in str(turn)
    assert "/v1/chat/completions?api-version=3&key=" in turn.failure.message


async def test_the_request_id_of_a_failure_is_told() -> None:
    head = Head(400, "application/json", {"x-request-id": "req_7"})
    turn = await Desk().answer(head, b'{"error":{"message":"no"}}').ask()
    assert turn.failure is not None
    assert turn.failure.request_id == "req_7"


async def test_a_not_found_names_the_address_and_the_likely_fix() -> None:
    desk = Desk(base_url="http://model.test").answer(Head(404, "text/plain"), b"404 page not found")
    turn = await desk.ask()
    assert turn.failure is not None
    assert "http://model.test/chat/completions" in turn.failure.message
    assert "http://model.test/v1" in turn.failure.hint


async def test_a_redirect_elsewhere_is_not_followed_and_says_where_it_leads() -> None:
    head = Head(307, headers={"location": "https://other.test/v1"})
    turn = await Desk().answer(head).ask()
    assert reason(turn) is FailureReason.HTTP
    assert turn.failure is not None
    assert "https://other.test/v1" in turn.failure.message
    assert turn.requests == 1


async def test_a_decoder_that_fails_ends_the_turn_and_not_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk()
    decoder = type(desk.session.endpoint.protocol.stream_decoder(desk.session.endpoint.dialect))

    def fail(*_: object) -> list[object]:
        raise IndexError("a bug")

    monkeypatch.setattr(decoder, "feed", fail)
    turn = await desk.answer(chat_chunk("Hel")).ask()
    assert reason(turn) is FailureReason.PROTOCOL
    assert turn.failure is not None
    assert "IndexError" in turn.failure.message


async def test_no_connection_at_all_is_told_after_the_retries() -> None:
    desk = Desk()
    for _ in range(3):
        desk.answer(ConnectFailed("model.test refused the connection", "Is it running?"))
    turn = await desk.ask()
    assert reason(turn) is FailureReason.CONNECT
    assert turn.failure is not None
    assert (turn.failure.message, turn.failure.hint) == (
        "model.test refused the connection",
        "Is it running?",
    )


async def test_what_a_prepared_engine_wants_of_the_request_is_sent() -> None:
    desk = Desk().answer(*GOOD)
    plain = desk.session.endpoint

    async def prepare(_say: object) -> Endpoint:
        return replace(plain, model="ready", sampling=Sampling(temperature=0.25))

    desk.session.use(replace(plain, prepare=prepare))
    await desk.ask()
    (sent,) = desk.transport.requests
    body = json.loads(sent.body)
    assert (body["model"], body["temperature"]) == ("ready", 0.25)


@pytest.mark.parametrize(("limit", "is_told"), [(5, True), (6, False), (None, False)])
async def test_a_limit_that_the_server_keeps_silent_about_is_told(limit: int | None, is_told: bool) -> None:
    response = {"id": "r", "status": "completed", "output": [], "usage": {"output_tokens": 5}}
    desk = Desk(protocol=load_protocol("responses"), sampling=Sampling(max_output_tokens=limit)).answer(
        b'data: {"type": "response.output_text.delta", "delta": "cut he"}\n\n',
        f"data: {json.dumps({'type': 'response.completed', 'response': response})}\n\n".encode(),
    )
    turn = await desk.ask()
    assert turn.phase is Phase.COMPLETED
    assert any("whole limit of 5 tokens" in notice for notice in turn.notices) is is_told
