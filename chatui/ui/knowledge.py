"""What the status line says beyond the turn: cost by the person's prices, and how full the window is.

Invariant: a file is read once for each model, not for each look at the status line; no price, no cost.
"""

from typing import TYPE_CHECKING

from chatui.core.turn import Phase, Turn
from chatui.engine.endpoint import Endpoint

if TYPE_CHECKING:
    from chatui.config.provider_spec import ModelFacts
    from chatui.wiring import Workspace


class Knowledge:
    """Facts of models, kept until the configuration changes."""

    def __init__(self, workspace: "Workspace") -> None:
        self._workspace = workspace
        self._facts: dict[tuple[str, str], ModelFacts] = {}

    def forget(self) -> None:
        """The configuration changed."""
        self._facts.clear()

    def of(self, endpoint: Endpoint) -> "ModelFacts":
        """What is known of the model of an endpoint."""
        name = (endpoint.provider, endpoint.model)
        found = self._facts.get(name)
        if found is None:
            found = self._facts[name] = self._workspace.model_facts(endpoint)
        return found

    def cost(self, turn: Turn | None, endpoint: Endpoint | None) -> float | None:
        """What a turn cost; None where a price or a number is missing, or another model answered."""
        if turn is None or endpoint is None or turn.usage is None or turn.phase is Phase.RECEIVING:
            return None
        if turn.requested_model != endpoint.model or turn.provider not in ("", endpoint.provider):
            return None
        from chatui.wiring.model_knowledge import cost_of

        return cost_of(turn.usage, self.of(endpoint))
