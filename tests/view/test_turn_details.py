"""The details of a turn hold everything that the wire told of it."""

from dataclasses import replace

import pytest

from chatui.core.messages import AudioPart
from chatui.core.turn import Choice, Phase, Turn, TurnId
from chatui.view.turn_details import fact_text, turn_facts

TURN = Turn(turn_id=TurnId("t"), phase=Phase.COMPLETED)


def facts_of_sound(part: AudioPart) -> dict[str, str]:
    facts = turn_facts(replace(TURN, choices=(Choice(0, (part,)),)))
    return {fact.name: fact.value for fact in facts}


def test_the_sound_of_an_answer_says_until_when_its_server_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatui.view.turn_details.time.localtime", __import__("time").gmtime)
    facts = facts_of_sound(AudioPart("audio_1", "Hello", "AAAA" * 100, 1_800_000_000))
    assert facts["audio id"] == "audio_1"
    assert facts["received"] == "300 bytes"
    assert facts["server keeps it"] == "until 2027-01-15 08:00"


def test_what_is_not_told_of_a_sound_is_unknown_and_nonsense_is_shown_as_it_came() -> None:
    assert facts_of_sound(AudioPart("audio_1", "Hello"))["server keeps it"] == "unknown"
    assert facts_of_sound(AudioPart("audio_1", "Hello", "", 10**30))["server keeps it"].startswith(
        "until 1000000"
    )


def test_a_turn_without_sound_says_nothing_of_it() -> None:
    assert "Sound" not in fact_text(turn_facts(TURN))
