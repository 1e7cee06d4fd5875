"""Everything that is known of a turn, as words: ids, timings, tokens, cost, what was sent and left out.

Invariant: what is unknown is said to be unknown; an estimate is called one; all text is made safe when it
becomes lines.
"""

import time
from collections.abc import Sequence

from chatui.core.doctor_words import DOCTOR_IN_APP, leads_to_doctor
from chatui.core.messages import AudioPart, FilePart, ImagePart, TextPart
from chatui.core.send_plan import Omission
from chatui.core.turn import Phase, Turn
from chatui.core.values import frozen
from chatui.view.badge import count, estimated_output_tokens, seconds, token_rate
from chatui.view.lines import EMPTY_LINE, Line, Run, Style, Tone
from chatui.view.plain_lines import cell_width, one_line, plain_lines, runs_line

UNKNOWN = "unknown"
LABEL_CELLS = 16


@frozen
class Fact:
    """A name and a value; without a value it is a heading."""

    name: str
    value: str = ""


def turn_facts(
    turn: Turn,
    *,
    cost: float | None = None,
    omissions: Sequence[Omission] = (),
    window_tokens: int | None = None,
) -> list[Fact]:
    """All facts in the order in which they are shown."""
    timing, usage = turn.timing, turn.usage
    rate = token_rate(turn, None)
    facts = [
        Fact("Who answered"),
        Fact("provider", turn.provider or UNKNOWN),
        Fact("protocol", turn.protocol or UNKNOWN),
        Fact("model asked", turn.requested_model or UNKNOWN),
        Fact("model answered", turn.model or UNKNOWN),
        Fact("response id", turn.response_id or UNKNOWN),
        Fact("service tier", turn.service_tier or UNKNOWN),
        Fact("fingerprint", turn.system_fingerprint or UNKNOWN),
        Fact("turn id", turn.turn_id),
        Fact("How it went"),
        Fact("phase", turn.phase.value),
        Fact(
            "finish reason",
            turn.finish_reason or ("none came" if turn.phase is not Phase.RECEIVING else UNKNOWN),
        ),
        *_failure(turn),
        Fact("requests", str(turn.requests) if turn.requests else UNKNOWN),
        Fact("first event", _ms(timing.first_event_ms)),
        Fact("first text", _ms(timing.first_text_ms)),
        Fact("longest gap", _ms(timing.longest_gap_ms)),
        Fact("total", _ms(timing.total_ms)),
        Fact("speed", f"{rate:.1f} tokens a second" if rate is not None else UNKNOWN),
        Fact("Tokens"),
        Fact("in", _tokens(usage.input_tokens if usage else None)),
        Fact("out", _out(turn)),
        Fact("reasoning", _tokens(usage.reasoning_tokens if usage else None)),
        Fact("cached", _tokens(usage.cached_tokens if usage else None)),
        Fact("window", count(window_tokens) if window_tokens else UNKNOWN),
        Fact("cost", f"{cost:.6f} by your prices" if cost is not None else "unknown (no price or no count)"),
        *_sound(turn),
        Fact("What was sent"),
        *_sent(turn),
        Fact("What was left out"),
        *([Fact(omission.what, omission.why) for omission in omissions] or [Fact("nothing", " ")]),
    ]
    if turn.notices or turn.unknown_events:
        facts.append(Fact("Notices"))
        facts.extend(Fact("notice", notice) for notice in turn.notices)
        if turn.unknown_events:
            facts.append(Fact("unknown events", str(turn.unknown_events)))
    return facts


def _failure(turn: Turn) -> list[Fact]:
    failure = turn.failure
    if failure is None:
        return []
    found = [Fact("failure", f"{failure.reason.value}: {failure.message}")]
    if failure.hint:
        found.append(Fact("what to do", failure.hint))
    if leads_to_doctor(failure):
        found.append(Fact("where to look", DOCTOR_IN_APP))
    if failure.request_id:
        found.append(Fact("request id", failure.request_id))
    if failure.http_status is not None:
        found.append(Fact("HTTP status", str(failure.http_status)))
    return found


def _sound(turn: Turn) -> list[Fact]:
    """What was spoken, and until when its server knows it by its id."""
    found: list[Fact] = []
    for part in turn.parts:
        if isinstance(part, AudioPart):
            size = len(part.data_base64) * 3 // 4
            until = part.expires_at_epoch_s
            found += [
                Fact("Sound"),
                Fact("audio id", part.audio_id or UNKNOWN),
                Fact("received", f"{size} bytes" if size else "nothing but its words"),
                Fact("server keeps it", UNKNOWN if until is None else f"until {_moment(until)}"),
            ]
    return found


def _moment(at_epoch_s: float) -> str:
    """A point in time as the person's clock shows it; a number that is none stays one."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_epoch_s))
    except (ValueError, OverflowError, OSError):
        return f"{at_epoch_s} (no time that this machine knows)"


def _sent(turn: Turn) -> list[Fact]:
    found = [Fact("system", f"{len(turn.system)} characters" if turn.system else "none")]
    for message in turn.input:
        for part in message.parts:
            match part:
                case TextPart():
                    words = f"{len(part.text)} characters: {one_line(part.text, 60)}"
                    found.append(Fact(message.role.value, words))
                case ImagePart() | FilePart():
                    size = len(part.data_base64) * 3 // 4
                    found.append(
                        Fact("file", f"{part.name or part.media_type}, {part.media_type}, {size} bytes")
                    )
                case _:
                    found.append(Fact(message.role.value, type(part).__name__))
    return found


def _ms(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.0f} ms" if value < 10_000 else seconds(value / 1000)


def _tokens(value: int | None) -> str:
    return UNKNOWN if value is None else str(value)


def _out(turn: Turn) -> str:
    if turn.usage is not None and turn.usage.output_tokens is not None:
        return str(turn.usage.output_tokens)
    estimate = estimated_output_tokens(turn)
    return UNKNOWN if estimate is None else f"about {estimate} (an estimate: the server reported none)"


def fact_lines(facts: Sequence[Fact], width: int) -> list[Line]:
    """Facts as lines: names at the left, values wrapped beside them."""
    lines: list[Line] = []
    for fact in facts:
        if not fact.value:
            lines.append(EMPTY_LINE)
            lines.append(runs_line((Run(one_line(fact.name, width), Style(Tone.HEADING, is_bold=True)),)))
            continue
        name = one_line(fact.name, LABEL_CELLS if width >= 48 else max(6, width * 2 // 5))
        label = f"  {name}{' ' * max(1, LABEL_CELLS + 2 - cell_width(name))}"
        if width < 48:
            label = f"  {name} "
        tone = Tone.FAINT if fact.value.startswith(UNKNOWN) else Tone.TEXT
        room = max(4, width - cell_width(label))
        first, *rest = plain_lines(fact.value, room, Style(tone), most=12) or [EMPTY_LINE]
        lines.append(runs_line((Run(label, Style(Tone.MUTED)), *first.runs)))
        blank = Run(" " * cell_width(label))
        lines.extend(runs_line((blank, *line.runs)) for line in rest)
    return lines


def fact_text(facts: Sequence[Fact]) -> str:
    """Facts as text to be copied."""
    return "".join(
        f"{fact.name}: {fact.value}\n" if fact.value else f"\n{fact.name}\n" for fact in facts
    ).lstrip()
