"""Every possible turn, as a hypothesis strategy."""

from hypothesis import strategies as st

from chatui.core.errors import Failure, FailureReason
from chatui.core.events import Usage
from chatui.core.messages import (
    AudioPart,
    Citation,
    FilePart,
    ImagePart,
    Message,
    ReasoningPart,
    RefusalPart,
    Role,
    TextPart,
    ToolActivityPart,
    ToolCallPart,
    ToolCallState,
    ToolOutcome,
    ToolResultPart,
)
from chatui.core.turn import Choice, Phase, Timing, Turn, TurnId

PLACES = st.text(st.characters(codec=None), max_size=12)
"""Any text, with lone surrogates, NUL and every control character."""
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | PLACES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PLACES, inner, max_size=3),
    max_leaves=6,
)
OPAQUE = st.dictionaries(PLACES, JSON_VALUES, max_size=2)
CITATIONS = st.lists(st.builds(Citation, PLACES, PLACES, PLACES), max_size=2).map(tuple)
COUNTS = st.none() | st.integers(0, 10**9)
PARTS = st.one_of(
    st.builds(TextPart, PLACES, CITATIONS, OPAQUE),
    st.builds(ReasoningPart, PLACES, st.booleans(), st.booleans(), OPAQUE),
    st.builds(RefusalPart, PLACES),
    st.builds(ToolCallPart, PLACES, PLACES, PLACES, st.sampled_from(ToolCallState), st.booleans(), OPAQUE),
    st.builds(ToolActivityPart, PLACES, PLACES, PLACES, PLACES, PLACES, OPAQUE),
    st.builds(
        ToolResultPart, PLACES, PLACES, PLACES, st.booleans(), st.none() | st.sampled_from(ToolOutcome)
    ),
    st.builds(ImagePart, PLACES, PLACES, PLACES, PLACES),
    st.builds(FilePart, PLACES, PLACES, PLACES),
    st.builds(AudioPart, PLACES, PLACES, PLACES, COUNTS),
)
PART_LISTS = st.lists(PARTS, max_size=3).map(tuple)
MESSAGES = st.builds(Message, st.sampled_from(Role), PART_LISTS)
MILLISECONDS = st.none() | st.floats(0, 1e9)
FAILURES = st.builds(
    Failure,
    reason=st.sampled_from(FailureReason),
    message=PLACES,
    hint=PLACES,
    code=PLACES,
    http_status=st.none() | st.integers(100, 599),
    request_id=st.none() | PLACES,
    retry_after_s=st.none() | st.floats(0, 1e6),
    is_retryable=st.booleans(),
    is_context_too_long=st.booleans(),
)
TURNS = st.builds(
    Turn,
    turn_id=st.uuids().map(lambda value: TurnId(value.hex)),
    parent_id=st.none() | st.uuids().map(lambda value: TurnId(value.hex)),
    input=st.lists(MESSAGES, max_size=2).map(tuple),
    system=PLACES,
    provider=PLACES,
    protocol=PLACES,
    requested_model=PLACES,
    started_at_epoch_s=st.floats(0, 1e10),
    phase=st.sampled_from(Phase),
    failure=st.none() | FAILURES,
    choices=st.lists(
        st.builds(
            Choice,
            st.integers(0, 5),
            PART_LISTS,
            st.none() | PLACES,
            st.lists(JSON_VALUES, max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    usage=st.none() | st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS),
    finish_reason=st.none() | PLACES,
    response_id=st.none() | PLACES,
    model=st.none() | PLACES,
    service_tier=st.none() | PLACES,
    system_fingerprint=st.none() | PLACES,
    notices=st.lists(PLACES, max_size=2).map(tuple),
    unknown_events=st.integers(0, 9),
    delta_count=st.integers(0, 9),
    timing=st.builds(
        Timing,
        first_event_ms=MILLISECONDS,
        first_text_ms=MILLISECONDS,
        longest_gap_ms=MILLISECONDS,
        total_ms=MILLISECONDS,
    ),
    requests=st.integers(0, 9),
    is_accepted_cut=st.booleans(),
)
