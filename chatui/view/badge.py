"""The badge of a turn: one glyph, one word, what matters. The one place that says how a turn stands.

Invariant: `completed` is said only of a turn whose phase is completed; every failure names its reason;
words from the wire are made safe and kept short.
"""

from chatui.core.errors import Failure, FailureReason, StopCause
from chatui.core.messages import ReasoningPart
from chatui.core.safe_text import safe_line
from chatui.core.turn import Phase, Turn
from chatui.core.values import frozen
from chatui.engine.updates import Stage
from chatui.view.glyphs import Glyphs
from chatui.view.lines import Run, Style, Tone

LONGEST_WIRE_WORD = 28
ANSWERS_LINK = "chatui:answers"
"""Pressed: the next answer to the same prompt."""
ESTIMATE = "~"
"""Stands before every number that nobody reported."""

INTERRUPTED_CODE = "interrupted"
_STOPPED_WORDS = {
    StopCause.TERMINAL_CLOSED.value: "stopped: the terminal was closed",
    StopCause.TOLD_TO_END.value: "stopped: chatui was told to end",
}
"""The code that the history gives a turn whose process was killed while it was being received."""

HTTP_WORDS = {
    400: "request rejected",
    401: "key rejected",
    402: "payment required",
    403: "not allowed",
    404: "not found",
    408: "timed out",
    413: "request too large",
    422: "request rejected",
    429: "too many requests",
    500: "server error",
    502: "bad gateway",
    503: "unavailable",
    504: "gateway timed out",
    529: "overloaded",
}


@frozen
class Badge:
    """What stands at the right end of a turn's name line."""

    glyph: str
    text: str
    tone: Tone
    place: str = ""
    """Which of several answers to the same prompt this is, such as `‹2/3›`."""

    def runs(self) -> tuple[Run, ...]:
        """The badge as runs of a line."""
        style = Style(self.tone, is_bold=self.tone in (Tone.ERROR, Tone.WARNING))
        badge = Run(f"{self.glyph} {self.text}", style)
        if not self.place:
            return (badge,)
        return (Run(self.place, Style(Tone.ACCENT), ANSWERS_LINK), Run("  "), badge)


def seconds(value: float) -> str:
    """A duration as a person reads it."""
    if value < 9.95:
        return f"{value:.1f} s"
    if value < 119.5:
        return f"{value:.0f} s"
    whole = round(value)
    if whole < 7200:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def count(value: int) -> str:
    """A number of tokens, short."""
    if value < 10_000:
        return str(value)
    if value < 1_000_000:
        return f"{value / 1000:.1f}k"
    return f"{value / 1_000_000:.1f}M"


def short(text: str, longest: int = LONGEST_WIRE_WORD) -> str:
    """A word from the wire, safe and short."""
    safe = safe_line(" ".join(text.split()))
    return safe if len(safe) <= longest else safe[: longest - 1] + "…"


def turn_badge(
    turn: Turn,
    signs: Glyphs,
    *,
    stage: Stage = Stage.ENDED,
    elapsed_s: float | None = None,
    retry_in_s: float | None = None,
    retry_why: str = "",
    preparing: str = "",
    call: str = "",
    frame: int = 0,
    is_loud: bool = True,
) -> Badge:
    """How this turn stands.

    Args:
        turn: The latest snapshot.
        signs: Glyphs that the terminal can show.
        stage: What the session is doing, while the turn runs.
        elapsed_s: Seconds since the request, while the turn runs.
        retry_in_s: Seconds to the next attempt, while one is counted down.
        retry_why: Why it is tried again.
        preparing: How far the embedded model is, while it is fetched or started.
        call: Name of the tool that is asked about or runs.
        frame: Which frame of the moving glyph; constant under reduced motion.
        is_loud: False once a completed turn has been seen.
    """
    match turn.phase:
        case Phase.COMPLETED:
            return _completed(turn, signs, is_loud)
        case Phase.FAILED:
            return _failed(turn, signs)
        case Phase.RECEIVING:
            glyph = signs.receiving[frame % len(signs.receiving)]
            if stage in (Stage.ASKING, Stage.CALLING):
                words = _call_words(stage, elapsed_s, call)
            else:
                words = _receiving_words(turn, stage, elapsed_s, retry_in_s, retry_why, preparing)
            separator = f" {signs.dot} "
            return Badge(glyph, separator.join(words), Tone.ACCENT)


def _call_words(stage: Stage, elapsed_s: float | None, call: str) -> list[str]:
    """Nothing is being received: a tool runs, or waits for a yes or no."""
    if stage is Stage.ASKING:
        return ["waiting for you", f"may {short(call)} be run?"] if call else ["waiting for you"]
    words = [f"running {short(call)}" if call else "running tools"]
    return words if elapsed_s is None else [*words, seconds(max(0.0, elapsed_s))]


def _receiving_words(
    turn: Turn,
    stage: Stage,
    elapsed_s: float | None,
    retry_in_s: float | None,
    retry_why: str,
    preparing: str,
) -> list[str]:
    if stage is Stage.STOPPING:
        return ["stopping…"]
    if stage is Stage.PREPARING and preparing:
        return [short(preparing, 40)]
    words = ["receiving"]
    if stage is Stage.RETRYING:
        words.append(f"retry in {seconds(max(0.0, retry_in_s or 0.0))}")
        if retry_why:
            words.append(short(retry_why, 40))
        return words
    waiting = {
        Stage.PREPARING: "starting the model",
        Stage.CONNECTING: "connecting",
        Stage.WAITING: "waiting",
    }.get(stage)
    if waiting:
        words.append(waiting)
    else:
        if _is_thinking(turn):
            words.append("thinking")
        rate = token_rate(turn, elapsed_s)
        if rate is not None:
            words.append(f"{rate:.0f} tok/s")
    if elapsed_s is not None:
        words.append(seconds(max(0.0, elapsed_s)))
    return words


def _is_thinking(turn: Turn) -> bool:
    """What came last is reasoning."""
    parts = turn.choices[0].parts if turn.choices else ()
    return bool(parts) and isinstance(parts[-1], ReasoningPart)


def token_rate(turn: Turn, elapsed_s: float | None) -> float | None:
    """Tokens a second since the first text; None as long as there is nothing to measure."""
    total_s = turn.timing.total_ms / 1000 if turn.timing.total_ms is not None else elapsed_s
    if total_s is None or turn.timing.first_text_ms is None:
        return None
    receiving_s = total_s - turn.timing.first_text_ms / 1000
    tokens = turn.delta_count
    if turn.phase is not Phase.RECEIVING and turn.usage is not None and turn.usage.output_tokens is not None:
        tokens = turn.usage.output_tokens
    return tokens / receiving_s if receiving_s > 0.2 and tokens > 1 else None


def output_tokens(turn: Turn) -> str | None:
    """How many tokens were received: as the server counted them, `~18` for an estimate; None is unknown."""
    if turn.usage is not None and turn.usage.output_tokens is not None:
        return count(turn.usage.output_tokens)
    estimate = estimated_output_tokens(turn)
    return None if estimate is None else f"{ESTIMATE}{count(estimate)}"


def estimated_output_tokens(turn: Turn) -> int | None:
    """About how many tokens were received, for a turn whose server counted none; None without any delta."""
    # A delta holds at least one token; a whole body, or a server that sends by the sentence, many.
    if not turn.delta_count:
        return None
    from chatui.core.context_size import text_tokens  # nothing comes before the first paint

    return max(turn.delta_count, text_tokens(turn.text))


def _completed(turn: Turn, signs: Glyphs, is_loud: bool) -> Badge:
    words = ["completed"]
    tokens = output_tokens(turn)
    if tokens is not None:
        words.append(f"{tokens} tok")
    if turn.timing.total_ms is not None:
        words.append(seconds(turn.timing.total_ms / 1000))
    if turn.finish_reason and turn.finish_reason not in KNOWN_FINISH_REASONS:
        words.append(short(turn.finish_reason))
    parts = [part for choice in turn.choices for part in choice.parts]
    if all(isinstance(part, ReasoningPart) for part in parts):
        words.append("reasoning only" if parts else "empty answer")
    separator = f" {signs.dot} "
    return Badge(signs.completed, separator.join(words), Tone.SUCCESS if is_loud else Tone.FAINT)


KNOWN_FINISH_REASONS = frozenset(
    ("stop", "tool_calls", "function_call", "end_turn", "stop_sequence", "tool_use", "completed")
)


def _failed(turn: Turn, signs: Glyphs) -> Badge:
    failure = turn.failure
    if failure is None:
        return Badge(signs.error, "failed", Tone.ERROR)
    glyph, words, tone = _failure_words(failure, signs)
    if turn.is_accepted_cut:
        words += f" {signs.dot} accepted"
    return Badge(glyph, words, tone)


def _failure_words(failure: Failure, signs: Glyphs) -> tuple[str, str, Tone]:
    match failure.reason:
        case FailureReason.CANCELLED:
            return signs.stopped, _STOPPED_WORDS.get(failure.code, "stopped by you"), Tone.WARNING
        case FailureReason.LENGTH:
            if failure.is_context_too_long:
                return signs.cut, "conversation too long for the model", Tone.WARNING
            return signs.cut, "cut at the token limit", Tone.WARNING
        case FailureReason.CONTENT_FILTER:
            return signs.filtered, "filtered by the provider", Tone.WARNING
        case FailureReason.REFUSAL:
            return signs.refused, "refused", Tone.WARNING
        case FailureReason.ERROR:
            return signs.error, f"server error: {short(failure.code or failure.message)}", Tone.ERROR
        case FailureReason.DISCONNECT:
            if failure.code == INTERRUPTED_CODE:
                return signs.lost, "interrupted: chatui ended", Tone.WARNING
            return signs.lost, "connection lost", Tone.ERROR
        case FailureReason.TIMEOUT:
            return signs.late, _timeout_words(failure), Tone.ERROR
        case FailureReason.PROTOCOL:
            return signs.error, "answer broke its protocol", Tone.ERROR
        case FailureReason.HTTP:
            return signs.error, _http_words(failure), Tone.ERROR
        case FailureReason.CONNECT:
            return signs.error, "no connection", Tone.ERROR


def _http_words(failure: Failure) -> str:
    status = failure.http_status
    if status is None:
        return f"HTTP error: {short(failure.code or failure.message)}"
    if failure.is_context_too_long:
        return f"HTTP {status}: conversation too long"
    return f"HTTP {status}: {HTTP_WORDS.get(status) or short(failure.code) or 'server refused'}"


def _timeout_words(failure: Failure) -> str:
    """The engine's own short sentence when it fits, such as `no data for 60 s`."""
    sentence = short(failure.message.split(";")[0].split(",")[0].rstrip("."), 44)
    if sentence and len(failure.message) <= 44:
        return sentence[0].lower() + sentence[1:]
    return "no data in time"
