"""Examples for the help of every command, in one place.

Invariant: each example is a command line that the parser takes; a test reads them all.
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
    "config show": ("chatui config show",),
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
    "local": ("chatui local install", "chatui local use model.gguf", "chatui -p local"),
    "models": ("chatui models", "chatui models -p openai", "chatui models --local"),
    "render": ("chatui render README.md", "chatui render --width 60 README.md"),
    "tools": ("chatui tools", "chatui tools --json"),
    "replay": ("chatui replay turn.wire.jsonl --speed 1",),
}


def add_examples(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> None:
    """Put the examples of a command, and of the commands below it, into their help."""
    found = EXAMPLES.get(" ".join(words), ())
    if found:
        lines = "\n".join(f"  {line}" for line in found)
        before = f"{parser.epilog}\n\n" if parser.epilog else ""
        parser.epilog = f"{before}Examples:\n{lines}"
        parser.formatter_class = WrappedHelp
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, inner in action.choices.items():
                add_examples(inner, (*words, name))


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
