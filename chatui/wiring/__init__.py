"""The one place that composes the edges with the engine; everything heavy is imported when it is needed.

The app uses exactly this, `chatui.engine` (types, `ChatSession`) and `chatui.view`:

```
workspace = open_workspace(options)     # never raises for a broken config or history: see workspace.problems
conversation = workspace.starting_conversation()   # what -c / -r ask for, else a fresh one; may raise
session = workspace.build_session(on_update, conversation)     # one live session of one conversation
turn = await session.send((user_message("hi"),))      # in a worker; updates arrive through on_update
session.cancel(); session.use(workspace.resolve("openai", "gpt-5"))
workspace.history ...                                 # SqliteHistory
workspace.settings, workspace.state, workspace.paths  # chatui.config values
await workspace.aclose()                              # stops the local engine, closes connections and history
```

`ChatSession.send` never raises for what network, server, store or a missing key do: a failed turn says it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from chatui.wiring.options import FoundKey, LaunchOptions, ProviderChoice

if TYPE_CHECKING:
    from chatui.protocols import load as load_protocol
    from chatui.tools.registry import KnownTool
    from chatui.wiring.launching import open_checked, open_workspace
    from chatui.wiring.replaying import replay_session
    from chatui.wiring.workspace import Workspace

__all__ = [
    "FoundKey",
    "KnownTool",
    "LaunchOptions",
    "ProviderChoice",
    "Workspace",
    "load_protocol",
    "open_checked",
    "open_workspace",
    "replay_session",
]

_HOMES = {
    "KnownTool": ("chatui.tools.registry", "KnownTool"),
    "Workspace": ("chatui.wiring.workspace", "Workspace"),
    "load_protocol": ("chatui.protocols", "load"),
    "open_checked": ("chatui.wiring.launching", "open_checked"),
    "open_workspace": ("chatui.wiring.launching", "open_workspace"),
    "replay_session": ("chatui.wiring.replaying", "replay_session"),
}
"""Names that are loaded when they are first asked for: who needs only the options starts without the rest."""


def __getattr__(name: str) -> object:
    try:
        module, attribute = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    found: object = getattr(import_module(module), attribute)
    return found
