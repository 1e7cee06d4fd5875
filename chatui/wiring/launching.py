"""Opening a workspace, and refusing what cannot be right before the app takes the screen."""

from pathlib import Path

from chatui.core.errors import ChatuiError, Unsettled
from chatui.wiring.options import LaunchOptions
from chatui.wiring.workspace import Workspace


def open_workspace(options: LaunchOptions) -> Workspace:
    """Read settings; history and network are opened when they are first needed.

    Raises:
        ConfigError: the directory of `--record` cannot be used, or the file to replay is no recording.
    """
    if options.replay_file is None:
        return Workspace(options)
    from chatui.wiring.replaying import ReplayWorkspace

    return ReplayWorkspace(options)


def open_checked(options: LaunchOptions, *, can_settle: bool = False) -> Workspace:
    """Open, and refuse what cannot be right before the app takes the screen. What was not said is not judged.

    Args:
        options: what the command line said.
        can_settle: a missing key or model is no reason to refuse: the person can be asked for it.

    Raises:
        ConfigError: an unknown provider, protocol, option or conversation, an unset key variable.
        StoreError: the history cannot be read.
    """
    if options.attachments:
        from chatui.wiring.attaching import look_at_file

        for path in options.attachments:
            look_at_file(Path(path).expanduser())
    workspace = open_workspace(options)
    try:
        if options.says_whom_to_ask:
            try:
                workspace.check()
            except Unsettled:
                if not can_settle:
                    raise
        if options.resume_id or options.is_continued:
            workspace.starting_conversation(last=1)
    except ChatuiError:
        workspace.close()
        raise
    return workspace
