"""When a failed request is sent again, and after how long.

Pure. Invariants: only before the first event of a response, only for failures that the protocol calls
retryable or that lost the connection, at most so many times, and a server's own wish for a pause is kept
to: if it wants a longer one than a person would sit through, nothing is retried and the failure says when
to try again.
"""

from typing import Final

from chatui.core.errors import Failure, FailureReason

FIRST_PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 8.0
LONGEST_WISH_S: Final = 60.0
"""A longer Retry-After is told to the person instead of waited for."""


def pause_before_retry_s(
    failure: Failure, retries_made: int, max_retries: int, jitter: float
) -> float | None:
    """How long to wait before the same request is sent again; None if it must not be.

    Args:
        failure: Why the last attempt failed, before its first event.
        retries_made: How many retries there were.
        max_retries: How many there may be.
        jitter: A random number from 0 to 1, so that many clients do not come back together.
    """
    is_of_a_kind = failure.reason in (FailureReason.HTTP, FailureReason.CONNECT, FailureReason.DISCONNECT)
    if retries_made >= max_retries or not (failure.is_retryable and is_of_a_kind):
        return None
    own_s = min(FIRST_PAUSE_S * 2.0**retries_made, LONGEST_PAUSE_S) * (0.75 + 0.5 * jitter)
    if failure.retry_after_s is None:
        return own_s
    if failure.retry_after_s > LONGEST_WISH_S:
        return None
    return max(failure.retry_after_s, own_s if failure.retry_after_s == 0.0 else 0.0)
