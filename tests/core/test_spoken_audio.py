"""The sound of an answer becomes a file that a player opens, without a byte lost."""

import base64
import io
import wave

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.messages import AudioPart, TextPart
from chatui.core.spoken_audio import sound_of
from chatui.core.turn import Choice, Turn, TurnId


def spoken(*data: str) -> Turn:
    parts = tuple(AudioPart("a", "Hello", piece) for piece in data)
    return Turn(turn_id=TurnId("t"), choices=(Choice(0, parts),))


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


@given(st.lists(st.binary(min_size=1, max_size=9), min_size=1))
def test_pieces_that_are_each_padded_give_every_byte(pieces: list[bytes]) -> None:
    head = b"fLaC"
    sound = sound_of(spoken("".join(map(encoded, [head, *pieces]))))
    assert sound is not None
    assert sound.content == head + b"".join(pieces)


@pytest.mark.parametrize(
    ("start", "suffix"), [(b"RIFF", ".wav"), (b"ID3", ".mp3"), (b"OggS", ".ogg"), (b"\xff\xf1", ".aac")]
)
def test_a_sound_file_is_kept_byte_for_byte(start: bytes, suffix: str) -> None:
    sound = sound_of(spoken(encoded(start + b"\0\1\2")))
    assert sound is not None
    assert (sound.content, sound.suffix, sound.is_header_added) == (start + b"\0\1\2", suffix, False)


def test_bare_samples_get_the_header_that_a_player_needs() -> None:
    samples = b"\0\1" * 2400
    sound = sound_of(spoken(encoded(samples)))
    assert sound is not None
    assert (sound.suffix, sound.is_header_added) == (".wav", True)
    with wave.open(io.BytesIO(sound.content)) as opened:
        assert (opened.getnchannels(), opened.getframerate(), opened.getsampwidth()) == (1, 24_000, 2)
        assert opened.readframes(9999) == samples


@pytest.mark.parametrize("data", ["", "=", "A", "\x1b[2J"[:2]])
def test_an_answer_without_sound_has_no_file(data: str) -> None:
    assert sound_of(spoken(data)) is None
    assert sound_of(Turn(turn_id=TurnId("t"), choices=(Choice(0, (TextPart("Hello"),)),))) is None
