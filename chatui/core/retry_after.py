"""Reads how long a server asks to wait, without a clock: dates are measured against the response's own.

Invariant: never negative, never raises, None when the server said nothing usable.
Source: RFC 9110 sections 10.2.3 and 5.6.7; `retry-after-ms` of OpenAI and Azure.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from chatui.core.late_pattern import late_pattern

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE: Final = late_pattern(
    r"(?:[A-Za-z]+,\s*)?(\d{1,2})[ -]([A-Za-z]{3})[ -](\d{2,4})\s+(\d{2}):(\d{2}):(\d{2})\s*(?:GMT|UTC)?"
)
_LONGEST_S: Final = 24 * 3600.0


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait before another attempt. Header names are lower case."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return min(milliseconds / 1000, _LONGEST_S)
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    # Two proxies may both have written one: a header that comes twice is joined.
    seconds = _number(value.partition(",")[0])
    if seconds is not None:
        return min(seconds, _LONGEST_S)
    then = _http_date(value)
    now = _http_date(headers.get("date", ""))
    if then is None:
        return None
    if now is None:
        # Without a clock only a date long past is certain to mean "now".
        return 0.0 if then.year < 2025 else None
    return min(max(0.0, (then - now).total_seconds()), _LONGEST_S)


def _number(value: str) -> float | None:
    return float(value) if re.fullmatch(r"\s*\d{1,12}(?:\.\d{1,9})?\s*", value) else None


def _http_date(value: str) -> datetime | None:
    found = _DATE.fullmatch(value.strip())
    if found is None or found[2].lower() not in _MONTHS:
        return None
    year = int(found[3])
    try:
        return datetime(
            year if year > 99 else year + (1900 if year >= 70 else 2000),
            _MONTHS.index(found[2].lower()) + 1,
            int(found[1]),
            int(found[4]),
            int(found[5]),
            int(found[6]),
            tzinfo=UTC,
        )
    except ValueError:
        return None
