"""Which failures `chatui doctor` can explain: those of the way to the server and of what stands at its end.

Invariant: what the doctor cannot help with (a full window, a quota, an answer that broke off) does not lead
to it.
"""

from typing import Final

from chatui.core.errors import Failure, FailureReason

DOCTOR_COMMAND: Final = "`chatui doctor` looks at each step (with the same -p, -m and --base-url)."
DOCTOR_IN_APP: Final = "/doctor looks at each step."

_ABOUT_MONEY_OR_SIZE: Final = frozenset({402, 413, 422, 429})


def leads_to_doctor(failure: Failure) -> bool:
    """Whether looking at each step may tell more of a failure."""
    match failure.reason:
        case FailureReason.CONNECT | FailureReason.TIMEOUT:
            return True
        case FailureReason.HTTP:
            return not failure.is_context_too_long and failure.http_status not in _ABOUT_MONEY_OR_SIZE
        case _:
            return False
