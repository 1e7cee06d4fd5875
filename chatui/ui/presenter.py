"""From a live conversation to what the chat screen says about it: badges and facts. Pure functions.

Invariant: numbers that are not known are not shown as if they were.
"""

import time
from dataclasses import replace

from chatui.core.turn import Phase, Turn
from chatui.engine.updates import CallStage, TurnUpdate
from chatui.ui.desk import Desk
from chatui.ui.live import Live
from chatui.view.badge import ESTIMATE, Badge, count, output_tokens, seconds, token_rate, turn_badge
from chatui.view.glyphs import Glyphs

LOCAL_PROVIDER = "local"


def time_of_day(epoch_s: float) -> str:
    """The local time of day."""
    return time.strftime("%H:%M", time.localtime(epoch_s))


def badge_of(
    desk: Desk, live: Live, turn: Turn, signs: Glyphs, *, frame: int, place: tuple[int, int] | None = None
) -> Badge:
    """The badge of a turn of a live conversation.

    Args:
        desk: Where it is open.
        live: The conversation.
        turn: The turn.
        signs: How things are drawn.
        frame: Which picture of what moves.
        place: Which of how many answers it is, where the conversation in memory does not tell.
    """
    number, count_of = place or live.place(turn)
    place_words = f"{signs.before}{number}/{count_of}{signs.after}" if count_of > 1 else ""
    update = live.update
    if update is None or update.turn.turn_id != turn.turn_id or turn.phase is not Phase.RECEIVING:
        badge = turn_badge(turn, signs, is_loud=turn.turn_id in live.loud)
    else:
        badge = turn_badge(
            turn,
            signs,
            stage=desk.stage(live),
            elapsed_s=desk.call_elapsed_s(live) if update.calls else desk.elapsed_s(live),
            retry_in_s=update.retry_in_s,
            retry_why=update.retry_why,
            preparing=update.preparing,
            call=call_at_hand(update),
            frame=frame,
        )
    return replace(badge, place=place_words) if place_words else badge


def call_at_hand(update: TurnUpdate) -> str:
    """The name of the tool that is asked about or runs; empty if none is."""
    running = (one.call.name for one in update.calls if one.stage in (CallStage.ASKING, CallStage.RUNNING))
    return next(running, "")


def facts_of(
    turn: Turn | None,
    *,
    cost: float | None = None,
    context: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """What is known of the last turn, the most useful first.

    Args:
        turn: The turn.
        cost: What the turn cost by the prices that the person gave.
        context: How full the model's window is, and how many turns are not sent.
    """
    if turn is None:
        return context
    facts: list[str] = []
    if turn.timing.first_text_ms is not None:
        facts.append(f"ttft {turn.timing.first_text_ms / 1000:.2f} s")
    if turn.phase is Phase.RECEIVING:
        if turn.usage is not None and turn.usage.input_tokens is not None:
            facts.append(f"in {count(turn.usage.input_tokens)}")
        received = output_tokens(turn)
        facts += [f"out {received}"] if received else []
        facts.extend(context)
    else:
        usage = turn.usage
        rate = token_rate(turn, None)
        sent = usage.input_tokens if usage is not None else None
        received = output_tokens(turn)
        if sent is None and received is None:
            facts.append("tokens unknown")
        else:
            facts += [f"in {count(sent) if sent is not None else '?'}", f"out {received or '?'}"]
        facts.extend(context)
        if usage is not None:
            if cost is not None:
                facts.append(f"cost {cost:.4f}")
            if usage.reasoning_tokens:
                facts.append(f"reasoning {count(usage.reasoning_tokens)}")
            if usage.cached_tokens:
                facts.append(f"cached {count(usage.cached_tokens)}")
        if rate is not None:
            is_counted = usage is not None and usage.output_tokens is not None
            facts.append(f"{'' if is_counted else ESTIMATE}{rate:.0f} tok/s")
        if turn.timing.longest_gap_ms is not None and turn.timing.longest_gap_ms >= 1000:
            facts.append(f"longest gap {seconds(turn.timing.longest_gap_ms / 1000)}")
    return tuple(facts)
