"""What the command line said, and what the app offers, as values."""

from chatui.config.settings import Wish
from chatui.core.values import frozen


@frozen(kw_only=True)
class LaunchOptions(Wish):
    """What the command line said; None was not said. The app and `chatui ask` share them."""

    is_saved: bool = True
    """False: nothing is written to the history (`--no-save`)."""
    is_continued: bool = False
    """`-c`: continue the last conversation."""
    resume_id: str | None = None
    """`-r ID`: continue that one."""
    record_directory: str | None = None
    """`--record DIR`: write the wire of every request there."""
    attachments: tuple[str, ...] = ()
    """`-a FILE`: files that go with the prompt."""
    tools: tuple[str, ...] = ()
    """`--tool NAME`: switched on beside what the configuration switches on."""
    allowed_tools: tuple[str, ...] = ()
    """`--allow-tool NAME`: run without being asked."""
    replay_file: str | None = None
    """`chatui replay FILE --app`: the app asks nobody, the recording answers."""
    replay_speed: float = 0.0
    """1 is the recorded timing, 0 is at once."""


@frozen(kw_only=True)
class FoundKey:
    """A hosted provider whose key is there, and where."""

    provider: str
    title: str
    origin: str
    """Name of the variable or file; never the key."""


@frozen(kw_only=True)
class ProviderChoice:
    """A provider that can be switched to, for the model picker."""

    name: str
    title: str
    protocol: str
    models: tuple[str, ...] = ()
    is_ready: bool = True
    """A key was found, or none is needed."""
    is_addressed: bool = False
    """The server of `--base-url`: in no file, gone with this process."""
    is_local: bool = False
    """A server that people run themselves: asked only when the person agreed to look for it."""
    needs_configuration: bool = False
    """A key alone does not help: an address is missing, or the provider's file is broken."""
    what_is_missing: str = ""
    """One line when it is not ready, e.g. "set OPENAI_API_KEY"."""
