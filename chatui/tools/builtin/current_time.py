"""Tells the date and time, here or in a named time zone.

Invariant: the clock is given from outside. Source: IANA time zone names.
"""

from collections.abc import Mapping
from datetime import UTC
from typing import Final

from chatui.core.errors import ToolError
from chatui.engine.tool_ports import ToolOutput
from chatui.tools.read_only_tool import ReadOnlyTool, Surroundings

_PARAMETERS: Final = {
    "type": "object",
    "properties": {
        "timezone": {"type": "string", "description": "Such as Europe/Vienna; the person's own if missing."}
    },
}


def make(around: Surroundings) -> ReadOnlyTool:
    """The tool."""

    def what_runs(arguments: Mapping[str, object]) -> str:
        return (
            f"tells the time in {arguments['timezone']}" if "timezone" in arguments else "tells the time here"
        )

    def run(arguments: Mapping[str, object], most_bytes: int) -> ToolOutput:
        del most_bytes
        return _tell(around, str(arguments.get("timezone", "")))

    return ReadOnlyTool("current_time", "Tells the current date and time.", _PARAMETERS, what_runs, run)


def _tell(around: Surroundings, zone: str) -> ToolOutput:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    now = around.now()
    if zone:
        try:
            now = now.astimezone(ZoneInfo(zone))
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ToolError(f"There is no time zone {zone[:60]!r}") from None
    return ToolOutput(
        f"{now:%A}, {now.isoformat(timespec='seconds')}{f' ({zone})' if zone else ''}, "
        f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ} in UTC"
    )
