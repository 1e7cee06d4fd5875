"""What the command line said, and what the app offers, as values."""

from chatui.core.values import frozen


@frozen(kw_only=True)
class LaunchOptions:
    """What the command line said; None was not said. The app and `chatui ask` share them."""

    provider: str | None = None
    model: str | None = None
    protocol: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    profile: str | None = None
    system: str | None = None
    connect_timeout_s: float | None = None
    first_event_timeout_s: float | None = None
    gap_timeout_s: float | None = None
    total_timeout_s: float | None = None
    generation: tuple[tuple[str, str], ...] = ()
    """`-o KEY VALUE`: known names go to `Sampling`, members of the body are sent as they are."""
    is_streaming: bool | None = None
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

    @property
    def says_whom_to_ask(self) -> bool:
        """Anything was said of who answers and how; what was not said is not judged before the start."""
        return bool(
            self.provider or self.model or self.base_url or self.protocol or self.generation or self.profile
        )


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
