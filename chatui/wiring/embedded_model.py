"""The embedded model as an endpoint: its engine starts with the first question and ends with the app.

Invariant: there is at most one engine, and asking it is asking any other server.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chatui.engine.endpoint import Endpoint
    from chatui.transport.local_engine import LocalEngine


class EmbeddedModel:
    """The model on this machine.

    Args:
        data_dir: Where its file is, or will be fetched to.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._engine: LocalEngine | None = None

    def name(self) -> str:
        """The name of the one model that the engine has now."""
        from chatui.transport.local_model import LocalModel

        return LocalModel(self._data_dir).name

    def problem(self) -> str:
        """What keeps the engine from running here, and what to do; empty if nothing is known to."""
        from chatui.transport.local_platform import engine_problem

        found = engine_problem()
        return f"{found.message} {found.hint}" if found is not None else ""

    def bytes_to_fetch(self) -> int:
        """How much its first answer fetches; 0 if the file is there."""
        from chatui.transport.local_model import LocalModel

        model = LocalModel(self._data_dir)
        return 0 if model.is_present or model.is_own else model.download_bytes

    def prepared(self, endpoint: "Endpoint") -> "Endpoint":
        """The endpoint, with the start of the engine before its first request."""
        return replace(endpoint, prepare=partial(self._started, endpoint))

    async def stop(self) -> None:
        """End the engine, if it runs."""
        if self._engine is not None:
            await self._engine.stop()

    async def _started(self, endpoint: "Endpoint", say: Callable[[str], None]) -> "Endpoint":
        """The endpoint of the engine, once it runs."""
        from chatui.transport.local_engine import BODY_MEMBERS, LocalEngine
        from chatui.transport.local_model import LocalModel
        from chatui.transport.local_progress import LocalProgress

        model = LocalModel(self._data_dir)
        if self._engine is None:
            self._engine = LocalEngine(model)

        def told(progress: LocalProgress) -> None:
            say(progress.text)

        base_url, key = await self._engine.ensure_started(told)
        dialect = replace(endpoint.dialect, extra_body={**BODY_MEMBERS, **endpoint.dialect.extra_body})
        return replace(endpoint, base_url=base_url, api_key=key, dialect=dialect, prepare=None)
