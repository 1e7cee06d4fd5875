"""The person's settings as one frozen value, the dataclasses below are their only description; and the flags.

Invariant: defaults make a working app; every field has a sentence, from which the commented file, the
messages and `chatui config show` are made.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from chatui.config.provider_spec import PROTOCOLS, ModelFacts
from chatui.config.reading import setting
from chatui.core.values import frozen


class ReasoningDisplay(StrEnum):
    """What the reasoning pane does."""

    HIDDEN = "hidden"
    LIVE = "live"
    """Open while the model thinks, closed afterwards; beside the text of a wide window it stays."""
    OPEN = "open"


class ColourMode(StrEnum):
    """How many colours are used."""

    AUTO = "auto"
    TRUE = "true"
    COLOURS_256 = "256"
    COLOURS_16 = "16"
    NONE = "none"


class Notification(StrEnum):
    """How the end of a long answer is told while the window is not focused."""

    OFF = "off"
    BELL = "bell"
    OSC9 = "osc9"
    OSC777 = "osc777"


class MathsDisplay(StrEnum):
    """How formulas are shown."""

    UNICODE = "unicode"
    SOURCE = "source"


class PictureDisplay(StrEnum):
    """How pictures are shown."""

    AUTO = "auto"
    HALF_BLOCKS = "half-blocks"
    KITTY = "kitty"
    OFF = "off"


@frozen(kw_only=True)
class Parameters:
    """Options of generation; what is not set is left to the server."""

    max_output_tokens: int | None = setting(
        None, "Longest answer, in tokens.", example=4096, at_least=1, is_allowed_in_project=True
    )
    temperature: float | None = setting(
        None, "Randomness.", example=0.7, at_least=0, at_most=2, is_allowed_in_project=True
    )
    top_p: float | None = setting(
        None, "Nucleus sampling.", example=0.9, at_least=0, at_most=1, is_allowed_in_project=True
    )
    stop: tuple[str, ...] = setting((), "Texts that end the answer.", is_allowed_in_project=True)
    seed: int | None = setting(None, "Seed for repeatable answers.", example=1, is_allowed_in_project=True)
    reasoning_effort: str | None = setting(
        None,
        "How hard the model thinks, in the provider's own words.",
        example="medium",
        is_allowed_in_project=True,
    )
    thinking_budget_tokens: int | None = setting(
        None, "Tokens the model may think.", example=4096, at_least=0, is_allowed_in_project=True
    )
    extra: Mapping[str, object] = field(default_factory=dict)
    """Members put into the request as they are."""


@frozen(kw_only=True)
class Profile:
    """A named system prompt with parameters; applied by `--profile`, key or slash command."""

    system: str = setting("", "System prompt.", is_allowed_in_project=True)
    provider: str = setting("", "Provider.", is_allowed_in_project=True)
    model: str = setting("", "Model.", is_allowed_in_project=True)
    tools: tuple[str, ...] = setting((), "Names of the tools that are offered.")
    description: str = setting("", "What it is for.", is_allowed_in_project=True)
    parameters: Parameters = field(default_factory=Parameters)


@frozen(kw_only=True)
class Template:
    """A prompt with variables such as `{language}`."""

    text: str = setting("", "The prompt; {name} is asked for, {selection} and {clipboard} are filled in.")
    description: str = setting("", "What it is for.")


@frozen(kw_only=True)
class Timeouts:
    """Limits in seconds; 0 is no limit."""

    connect_s: float = setting(10.0, "To make a connection.", at_least=0)
    first_event_s: float = setting(120.0, "From the request to the first event.", at_least=0)
    gap_s: float = setting(60.0, "Between two arrivals.", at_least=0)
    total_s: float = setting(0.0, "For the whole answer.", at_least=0)


@frozen(kw_only=True)
class UiSettings:
    """The app's look and behaviour."""

    theme: str = setting("auto", "Name of a theme, or auto (light or dark from the terminal).")
    colours: ColourMode = setting(ColourMode.AUTO, "Number of colours; NO_COLOR also counts.")
    mouse: bool = setting(True, "Let the app have the mouse; false leaves selection to the terminal.")
    vim_keys: bool = setting(False, "Modal editing in the composer.")
    reduced_motion: bool = setting(False, "No spinners, no animation.")
    reasoning: ReasoningDisplay = setting(ReasoningDisplay.LIVE, "What the reasoning pane does.")
    wrap_code: bool = setting(
        True, "Wrap long lines of code; false cuts them at the edge, copying gives all."
    )
    line_numbers: bool = setting(False, "Number the lines of code.")
    maths: MathsDisplay = setting(
        MathsDisplay.UNICODE,
        "Formulas in Unicode where they are understood, or as they are written; copying gives the latter.",
    )
    pictures: PictureDisplay = setting(
        PictureDisplay.AUTO, "How pictures are shown (needs Pillow); auto takes what the terminal can."
    )
    scroll_lines: int = setting(3, "Lines that one notch of the wheel scrolls.", at_least=1, at_most=50)
    frames_per_second: int = setting(
        15, "Most redraws in a second while text streams.", at_least=1, at_most=60
    )
    confirm_links: bool = setting(True, "Ask before a link is opened.")
    notification: Notification = setting(Notification.OFF, "How a finished answer is told.")
    notify_after_s: float = setting(10.0, "Only answers that took longer are told.", at_least=0)
    terminal_title: bool = setting(True, "Set the terminal's title.")


@frozen(kw_only=True)
class HistorySettings:
    """What is saved."""

    save: bool = setting(True, "Save conversations; false makes every one temporary.")
    auto_title: str = setting(
        "first_words", "Where titles come from.", allowed=("first_words", "model", "off")
    )


@frozen(kw_only=True)
class ToolCommand:
    """A local command as a tool, without a shell: `{name}` in an argument stands for a value of the model."""

    command: tuple[str, ...] = setting((), 'Program and arguments, e.g. ["grep", "-rn", "--", "{words}"].')
    description: str = setting("", "What it does, as the model is told.")
    parameters: Mapping[str, object] = field(default_factory=dict)
    """JSON Schema of the arguments."""
    stdin: str = setting(
        "none", "What the program reads: nothing, or the arguments as JSON.", allowed=("none", "json")
    )
    timeout_s: float | None = setting(None, "Limit for one call.", example=10.0, at_least=0.1)
    directory: str = setting("", "Where it runs; empty: where chatui was started.")


@frozen(kw_only=True)
class McpServer:
    """A server of tools that is started as a program and spoken to over its standard input and output."""

    command: tuple[str, ...] = setting((), "Program and arguments.")
    directory: str = setting("", "Where it runs; empty: where chatui was started.")
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that it gets beside the few that every program needs."""
    timeout_s: float | None = setting(None, "Limit for one call.", example=30.0, at_least=0.1)


@frozen(kw_only=True)
class ToolSettings:
    """Tools that models may ask for. None is offered unless it is named here or in a profile."""

    enabled: tuple[str, ...] = setting((), "Tools that are offered.")
    allow: tuple[str, ...] = setting((), "Tools that run without being asked.")
    max_steps: int = setting(10, "Most rounds of calls in one turn.", at_least=1, at_most=100)
    timeout_s: float = setting(60.0, "Limit for one call.", at_least=0)
    max_result_bytes: int = setting(65536, "Longer results are cut.", at_least=256)
    max_total_s: float = setting(600.0, "Limit for all calls of one turn together.", at_least=0)
    commands: Mapping[str, ToolCommand] = field(default_factory=dict)
    """Local commands as tools, `[tools.commands.NAME]`."""
    mcp: Mapping[str, McpServer] = field(default_factory=dict)
    """MCP servers, `[tools.mcp.NAME]`."""


@frozen(kw_only=True)
class Settings:
    """Everything that can be set."""

    provider: str = setting(
        "", "Provider; empty: the last used, then the embedded model.", is_allowed_in_project=True
    )
    model: str = setting("", "Model; empty: the provider's own choice.", is_allowed_in_project=True)
    protocol: str = setting("", "Wire format; empty: the provider's own.", allowed=("", *PROTOCOLS))
    profile: str = setting("", "Profile applied at the start.", is_allowed_in_project=True)
    system: str = setting("", "System prompt.", is_allowed_in_project=True)
    stream: bool = setting(True, "Ask for streams.")
    max_retries: int = setting(2, "Attempts after a failure before the first event.", at_least=0, at_most=10)
    accept_done: bool = setting(False, "Take [DONE] without a reason as the end of an answer.")
    parameters: Parameters = field(default_factory=Parameters)
    timeouts: Timeouts = field(default_factory=Timeouts)
    ui: UiSettings = field(default_factory=UiSettings)
    history: HistorySettings = field(default_factory=HistorySettings)
    tools: ToolSettings = field(default_factory=ToolSettings)
    keys: Mapping[str, str] = field(default_factory=dict)
    """Binding id to key, e.g. `turn.cancel = "escape"`; checked by the app."""
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    templates: Mapping[str, Template] = field(default_factory=dict)
    models: Mapping[str, ModelFacts] = field(default_factory=dict)
    """What the person knows of models: `[models."gpt-5"]` with windows and prices."""
    providers: Mapping[str, object] = field(default_factory=dict)
    """The person's own providers and changes to built-in ones, `[providers.NAME]`."""


@frozen(kw_only=True)
class Wish:
    """What is asked for by flags, whatever the settings say; None or empty was not said."""

    provider: str | None = None
    model: str | None = None
    protocol: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    profile: str | None = None
    system: str | None = None
    is_streaming: bool | None = None
    connect_s: float | None = None
    first_event_s: float | None = None
    gap_s: float | None = None
    total_s: float | None = None
    generation: tuple[tuple[str, str], ...] = ()
    """`-o KEY VALUE`: known names go to `Sampling`, members of the body are sent as they are."""

    @property
    def says_whom_to_ask(self) -> bool:
        """Anything was said of who answers and how; what was not said is not judged before the start."""
        return bool(
            self.provider or self.model or self.base_url or self.protocol or self.generation or self.profile
        )
