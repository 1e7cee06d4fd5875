"""A workspace whose sessions do what a test says, with a clock that stands still."""

import asyncio
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

from support import quiet_pilot
from textual.pilot import Pilot

from chatui.config.provider_spec import ModelFacts
from chatui.config.settings import Settings
from chatui.config.state import AppState
from chatui.core.conversation import Conversation
from chatui.core.errors import ChatuiError, ConfigError, Failure, FailureReason, StopCause
from chatui.core.events import Usage
from chatui.core.messages import (
    Message,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallState,
    user_message,
)
from chatui.core.model_listing import ListedModel
from chatui.core.request import ToolSpec
from chatui.core.turn import Choice, Phase, Timing, Turn, TurnId
from chatui.engine.approval import Approver
from chatui.engine.session import Endpoint, Stage, TurnUpdate
from chatui.history.sqlite_history import SqliteHistory
from chatui.protocols import load as load_protocol
from chatui.ui.app import ChatApp
from chatui.ui.screens.chat import ChatScreen
from chatui.wiring import FoundKey, LaunchOptions, ProviderChoice

quiet_pilot.install()

NINE = 1_700_000_000.0


class StandingClock:
    """Time stands until a test moves it."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic_s(self) -> float:
        return self.now_s

    def epoch_s(self) -> float:
        return NINE + self.now_s - 1000.0

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds


class ActedSession:
    """A session that receives what the test says."""

    def __init__(
        self, conversation: Conversation, on_update: Callable[[TurnUpdate], None], endpoint: Endpoint
    ) -> None:
        self.conversation = conversation
        self.endpoint = endpoint
        self.turn: Turn | None = None
        self.dismissed: list[Turn] = []
        self.sent: list[tuple[Message, ...]] = []
        self.cancels = 0
        self.unsaved_why = ""
        self.unsaved_why = ""
        self.approver: Approver | None = None
        self.tools: tuple[ToolSpec, ...] = ()
        self._on_update = on_update
        self._end: asyncio.Future[Turn] | None = None
        self._count = 0

    @property
    def is_busy(self) -> bool:
        return self._end is not None and not self._end.done()

    def use(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    def use_tools(self, tool_loop: None) -> None:
        """No tools."""

    def move_to(self, conversation: Conversation) -> None:
        self.conversation = conversation

    def accept(self, turn: Turn) -> Turn:
        accepted = replace(turn, is_accepted_cut=True)
        self.conversation = self.conversation.with_turn(accepted)
        return accepted

    def dismiss(self, turn: Turn) -> None:
        self.dismissed.append(turn)
        self.conversation = self.conversation.without_unfinished(turn.turn_id)

    async def send(
        self, messages: tuple[Message, ...], tools: tuple[object, ...] = (), *, sibling: Turn | None = None
    ) -> Turn:
        del tools
        return await self._run(messages, self.conversation.head if sibling is None else sibling.parent_id)

    async def regenerate(self, turn: Turn) -> Turn:
        return await self._run(turn.input, turn.parent_id)

    async def _run(self, messages: tuple[Message, ...], parent: TurnId | None) -> Turn:
        self._count += 1
        self.sent.append(messages)
        self.turn = Turn(
            turn_id=TurnId(f"{self.conversation.conversation_id}-{self._count}"),
            parent_id=parent,
            input=messages,
            requested_model=self.endpoint.model,
            started_at_epoch_s=NINE + self._count,
        )
        self._end = asyncio.get_running_loop().create_future()
        self.tell(Stage.WAITING)
        return await self._end

    def cancel(self, cause: StopCause = StopCause.PERSON) -> None:
        del cause
        self.cancels += 1

    # What the test says

    def tell(self, stage: Stage = Stage.RECEIVING, **more: object) -> None:
        assert self.turn is not None
        self._on_update(TurnUpdate(turn=self.turn, stage=stage, **more))  # type: ignore[arg-type]

    def receive(self, *parts: Part) -> None:
        """The answer so far is this."""
        assert self.turn is not None
        text = "".join(part.text for part in parts if isinstance(part, TextPart))
        self.turn = replace(
            self.turn,
            choices=(Choice(0, parts),),
            delta_count=len(text.split()),
            timing=Timing(first_event_ms=200.0, first_text_ms=420.0),
            model=self.endpoint.model,
        )
        self.tell()

    def text(self, text: str) -> None:
        self.receive(TextPart(text))

    def complete(self, **more: object) -> None:
        assert self.turn is not None
        self.turn = replace(
            self.turn,
            phase=Phase.COMPLETED,
            finish_reason="stop",
            usage=Usage(37, 112, 149),
            timing=Timing(first_event_ms=200.0, first_text_ms=420.0, total_ms=5600.0),
            **more,  # type: ignore[arg-type]
        )
        self.conversation = self.conversation.with_turn(self.turn)
        self._finish()

    def fail(self, failure: Failure) -> None:
        assert self.turn is not None
        self.turn = replace(
            self.turn,
            phase=Phase.FAILED,
            failure=failure,
            timing=Timing(first_event_ms=200.0, first_text_ms=420.0, total_ms=5600.0),
        )
        self.conversation = self.conversation.with_unfinished(self.turn)
        self._finish()

    def _finish(self) -> None:
        assert self.turn is not None
        assert self._end is not None
        self._end.set_result(self.turn)
        self.tell(Stage.ENDED)


@dataclass
class ActedWorkspace:
    """What the app needs, without network and files."""

    config_dir: Path
    settings: Settings = field(default_factory=Settings)
    state: AppState = field(default_factory=AppState)
    problems: tuple[str, ...] = ()
    opening_prompt: tuple[Message, ...] = ()
    conversation: Conversation | None = None
    refusal: ChatuiError | None = None
    """Why no session can be made."""
    attachments: tuple[str, ...] = ()
    keys_in_sight: tuple[FoundKey, ...] = ()
    bytes_to_fetch: int = 0
    engine_problem: str = ""
    providers: tuple[ProviderChoice, ...] = (
        ProviderChoice(
            name="local", title="Embedded model", protocol="chat_completions", models=("smollm2",)
        ),
        ProviderChoice(
            name="acme",
            title="Acme",
            protocol="responses",
            models=("acme-1",),
            is_ready=False,
            what_is_missing="set ACME_API_KEY",
        ),
    )
    provider: str = "local"
    model: str = "smollm2"

    def __post_init__(self) -> None:
        self.clock = StandingClock()
        self.history = SqliteHistory.in_memory(self.clock.epoch_s)
        self.sessions: list[ActedSession] = []
        self.looks = 0
        self.changed_settings: Settings | None = None
        """What the next look at the configuration finds."""
        self.saved_keys: dict[str, str] = {}
        self.paths = SimpleNamespace(
            keys_dir=self.config_dir / "keys",
            config_dir=self.config_dir,
            config_file=self.config_dir / "config.toml",
            state_dir=self.config_dir,
        )
        self.record_directory: str | None = None
        self.options = LaunchOptions()
        self._count = 0

    def set_by(self, key: str) -> str:
        return f"config.toml, {key}" if self.settings.ui.theme not in ("", "auto") else ""

    def place_of(self, key: str) -> str:
        return key

    def is_addressed(self, provider: str) -> bool:
        return False

    @property
    def session(self) -> ActedSession:
        """The latest session."""
        return self.sessions[-1]

    def record_to(self, directory: str | None) -> None:
        self.record_directory = directory

    def new_conversation(self, *, is_temporary: bool = False) -> Conversation:
        self._count += 1
        return Conversation(conversation_id=f"c{self._count}", is_temporary=is_temporary)

    def starting_conversation(self, *, last: int | None = None) -> Conversation:
        del last
        return self.conversation or self.new_conversation()

    def resolve(self, provider: str | None = None, model: str | None = None) -> Endpoint:
        if provider == "acme":
            raise ConfigError("acme needs a key", "set ACME_API_KEY")
        return Endpoint(
            provider=provider or self.provider,
            protocol=load_protocol("chat_completions"),
            base_url="",
            model=model or self.model,
            context_window_tokens=8192,
        )

    def build_session(
        self,
        on_update: Callable[[TurnUpdate], None],
        conversation: Conversation | None = None,
        *,
        endpoint: Endpoint | None = None,
        frame_s: float = 1 / 15,
        approver: Approver | None = None,
    ) -> ActedSession:
        del frame_s
        if self.refusal is not None:
            raise self.refusal
        assert conversation is not None
        session = ActedSession(conversation, on_update, endpoint or self.resolve())
        session.approver = approver
        self.sessions.append(session)
        return session

    def tool_loop(self, approver: Approver | None) -> None:
        """No tools."""

    def model_facts(self, endpoint: Endpoint) -> ModelFacts:
        return self.settings.models.get(endpoint.model, ModelFacts())

    def cached_models(self, provider: str) -> tuple[ListedModel, ...]:
        del provider
        return ()

    async def look_for_local_servers(self) -> dict[str, tuple[str, ...]]:
        self.looks += 1
        return {"ollama": ("llama3",)}

    def found_keys(self) -> tuple[FoundKey, ...]:
        return self.keys_in_sight

    def embedded_bytes_to_fetch(self) -> int:
        return self.bytes_to_fetch

    def embedded_problem(self) -> str:
        return self.engine_problem

    def save_key(self, provider: str, key: str) -> None:
        self.saved_keys[provider] = key

    @property
    def profile_name(self) -> str:
        return ""

    def use_profile(self, name: str, endpoint: Endpoint | None) -> tuple[Endpoint, str]:
        if name and name not in self.settings.profiles:
            raise ConfigError(f"there is no profile {name!r}")
        profile = self.settings.profiles.get(name)
        return self.resolve(
            None, profile.model or None if profile else None
        ), profile.system if profile else ""

    def reload_if_changed(self) -> bool:
        new, self.changed_settings = self.changed_settings, None
        if new is not None:
            self.settings = new
        return new is not None

    def again(self, endpoint: Endpoint) -> Endpoint:
        return endpoint

    def choices(self) -> tuple[ProviderChoice, ...]:
        return self.providers

    async def list_models(self, provider: str) -> tuple[str, ...]:
        if provider == "local":
            return ("smollm2", "another")
        raise ConfigError("no list")

    def update_state(self, change: Callable[[AppState], AppState]) -> None:
        self.state = change(self.state)

    def prepare(self) -> None:
        """Nothing to load."""

    def warm_up(self, endpoint: Endpoint | None) -> None:
        """Nothing to prepare."""

    async def aclose(self) -> None:
        self.history.close()


class ActedApp(ChatApp):
    """The app on such a workspace."""

    def __init__(self, workspace: ActedWorkspace, **more: object) -> None:
        self.acted = workspace
        super().__init__(
            workspace,  # type: ignore[arg-type]
            workspace.clock,
            has_reduced_motion=True,
            time_of_day=lambda _epoch_s: "09:41",
            **more,  # type: ignore[arg-type]
        )

    @property
    def session(self) -> ActedSession:
        return self.acted.session


@dataclass
class Acting:
    """App, pilot and screen of a running test."""

    app: ActedApp
    pilot: Pilot[int]

    @property
    def chat(self) -> ChatScreen:
        return self.app.chat

    @property
    def session(self) -> ActedSession:
        return self.app.session

    async def settle(self) -> None:
        """Until nothing is waiting to be done."""
        await self.pilot.pause()

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for as long as it takes: what is done in steps is done when it is done."""
        for _ in range(3000):
            if is_so():
                await self.settle()
                return
            await asyncio.sleep(0.01)
        raise AssertionError("it never was")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        for character in text:
            await self.pilot.press("space" if character == " " else character)
        await self.settle()

    async def ask(self, text: str = "hello") -> None:
        """Write and send."""
        self.chat.composer.put(text)
        await self.press("enter")

    def screen(self) -> list[str]:
        """The screen as text."""
        strips = self.app.screen._compositor.render_strips()
        return [strip.text.rstrip() for strip in strips]

    def text(self) -> str:
        return "\n".join(self.screen())


def acted_app(tmp_path: Path, **workspace: object) -> ActedApp:
    """An app for snapshots."""
    return ActedApp(ActedWorkspace(tmp_path, **workspace))  # type: ignore[arg-type]


@asynccontextmanager
async def on_stage(tmp_path: Path, size: tuple[int, int] = (80, 24), **workspace: object):
    """A running app."""
    app = acted_app(tmp_path, **workspace)
    async with app.run_test(size=size) as pilot:
        stage = Acting(app, pilot)
        # On a busy machine the first paint may come after the first settling; after a mistake it never comes.
        begun, broken = (asyncio.ensure_future(one.wait()) for one in (app.begun, app._exception_event))
        await asyncio.wait({begun, broken}, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        broken.cancel()
        assert app._exception is None, app._exception
        await stage.settle()
        yield stage


def cut(
    reason: FailureReason = FailureReason.DISCONNECT, message: str = "The connection broke.", **more
) -> Failure:
    return Failure(reason=reason, message=message, **more)


def call(raw: str, state: ToolCallState = ToolCallState.STREAMING, name: str = "get_weather") -> ToolCallPart:
    return ToolCallPart("call-1", name, raw, state)


def thought(text: str) -> ReasoningPart:
    return ReasoningPart(text)


def completed_turn(number: int, prompt: str, answer: str, parent: str | None = None) -> Turn:
    return Turn(
        turn_id=TurnId(f"t{number}"),
        parent_id=TurnId(parent) if parent else None,
        input=(user_message(prompt),),
        requested_model="smollm2",
        started_at_epoch_s=NINE + number,
        phase=Phase.COMPLETED,
        finish_reason="stop",
        choices=(Choice(0, (TextPart(answer),)),),
        usage=Usage(3, 4, 7),
        timing=Timing(total_ms=1000.0, first_text_ms=100.0),
    )


def conversation_of(count: int, answer: str = "An answer.") -> Conversation:
    turns = tuple(
        completed_turn(i, f"Question {i}", f"{answer} ({i})", f"t{i - 1}" if i else None)
        for i in range(count)
    )
    return Conversation(conversation_id="saved", turns=turns, head=turns[-1].turn_id if turns else None)
