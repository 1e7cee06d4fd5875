"""`chatui completion SHELL`: completion for bash, zsh and fish, made from the parsers themselves.

Invariant: what is offered is what the parsers take; the script asks nobody and runs nothing.
"""

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from chatui.core.values import frozen

SHELLS = ("bash", "zsh", "fish")
INSTALL = """To use it, for example:
  bash:  chatui completion bash > ~/.local/share/bash-completion/completions/chatui
  zsh:   chatui completion zsh > "${fpath[1]}/_chatui"
  fish:  chatui completion fish > ~/.config/fish/completions/chatui.fish"""
ZSH_END = """
if [ "$funcstack[1]" = "_chatui" ]; then
  _chatui "$@"
else
  compdef _chatui chatui
fi
"""
_FILE_WORDS = ("FILE", "DIR", "PATH", "GGUF")


@frozen
class Option:
    """An option of a command."""

    names: tuple[str, ...]
    words: str
    takes: tuple[str, ...] = ()
    """What follows it, one word each; empty is nothing."""
    choices: tuple[str, ...] = ()
    is_repeated: bool = False

    @property
    def takes_file(self) -> bool:
        """A path follows it."""
        return any(is_file_word(word) for word in self.takes)


@dataclass(slots=True)
class Place:
    """A command or verb and what can follow it."""

    words: tuple[str, ...]
    options: list[Option] = field(default_factory=list)
    verbs: dict[str, str] = field(default_factory=dict)
    takes_file: bool = False


def register(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "completion",
        help="print completion for a shell",
        description="Print a script that completes commands and options of chatui.",
        epilog=INSTALL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=SHELLS, help="whose script")


def run(arguments: argparse.Namespace) -> int:
    """Print the script.

    Returns:
        The exit code.
    """
    from chatui.cli.main import whole_parser

    places = list(places_of(whole_parser()))
    makers = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
    print(makers[arguments.shell](places), end="")
    return 0


def places_of(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[Place]:
    """The program, its commands and their verbs."""
    place = Place(words)
    below: list[tuple[str, argparse.ArgumentParser]] = []
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list them
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}  # noqa: SLF001
            for name, inner in action.choices.items():
                place.verbs[name] = plain_words(helps.get(name, ""))
                below.append((name, inner))
        elif action.help == argparse.SUPPRESS:
            continue
        elif action.option_strings:
            named = action.metavar or action.dest.upper()
            takes = () if action.nargs == 0 else named if isinstance(named, tuple) else (named,)
            choices = tuple(map(str, action.choices or ()))
            place.options.append(
                Option(
                    tuple(action.option_strings),
                    plain_words(action.help or ""),
                    takes,
                    choices,
                    isinstance(action, argparse._AppendAction),  # noqa: SLF001
                )
            )
        elif action.choices:
            place.verbs.update({str(choice): plain_words(action.help or "") for choice in action.choices})
        elif is_file_word(str(action.metavar)) or action.dest in ("file", "path"):
            place.takes_file = True
    yield place
    for name, inner in below:
        yield from places_of(inner, (*words, name))


def is_file_word(metavar: str) -> bool:
    """Whether a word of the help, such as FILE or FILE.whl, stands for a path."""
    return metavar.partition(".")[0] in _FILE_WORDS


def plain_words(text: str) -> str:
    """Words without what a shell would read."""
    return re.sub(r"\s+", " ", re.sub(r"[^\w\s.,:;/+=()-]", "", text.replace("%%", ""))).strip()


def bash_script(places: list[Place]) -> str:
    """For bash."""
    cases: list[str] = []
    for place in sorted(places, key=lambda place: -len(place.words)):
        names = " ".join(name for option in place.options for name in option.names)
        verbs = " ".join(place.verbs)
        key = " ".join(place.words)
        cases.append(f'    "{key}") options="{names}" verbs="{verbs}" ;;')
    paths = "|".join(" ".join(place.words) for place in places if place.words and len(place.words) <= 2)
    known = "|".join(f'"{path}"' for path in paths.split("|"))
    lines = [
        "# completion of chatui for bash",
        "_chatui() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
        '  local earlier="${COMP_WORDS[COMP_CWORD>1?COMP_CWORD-2:0]}"',
        '  local place="" options="" verbs="" part next',
        '  for part in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '    next="${place:+$place }$part"',
        f'    case "$next" in {known}) place="$next" ;; esac',
        "  done",
        '  case "$place:$before" in',
        *_bash_values(places),
        "  esac",
        '  case "$place:$earlier" in',
        *_bash_second_values(places),
        "  esac",
        '  case "$place" in',
        *cases,
        "  esac",
        '  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))',
        '  elif [[ -n "$verbs" ]]; then COMPREPLY=($(compgen -W "$verbs" -- "$word"))',
        '  else COMPREPLY=($(compgen -f -- "$word")); fi',
        "}",
        "complete -o filenames -F _chatui chatui",
    ]
    return "\n".join(lines) + "\n"


def _bash_values(places: list[Place]) -> Iterator[str]:
    """What follows an option, which may be another thing in another command."""
    offered: dict[str, list[str]] = {}
    for place in places:
        for option in place.options:
            if option.takes:
                words = f'-W "{" ".join(option.choices)}"' if option.choices else ""
                action = words or ("-f" if option.takes_file else "")
                offered.setdefault(action, []).extend(_bash_keys(place, option))
    for action, keys in offered.items():
        reply = f'COMPREPLY=($(compgen {action} -- "$word"))' if action else "COMPREPLY=()"
        yield f"    {'|'.join(keys)}) {reply}; return ;;"


def _bash_second_values(places: list[Place]) -> Iterator[str]:
    """The second of two words that an option takes is nothing that is known."""
    pairs = ((place, option) for place in places for option in place.options if len(option.takes) > 1)
    keys = [key for place, option in pairs for key in _bash_keys(place, option)]
    if keys:
        yield f"    {'|'.join(keys)}) COMPREPLY=(); return ;;"


def _bash_keys(place: Place, option: Option) -> list[str]:
    return [f'"{" ".join(place.words)}:{name}"' for name in option.names]


def zsh_script(places: list[Place]) -> str:
    """For zsh."""
    functions: list[str] = []
    for place in places:
        name = "_".join(("_chatui", *place.words)).replace("-", "_")
        rows = [_zsh_option(option) for option in place.options]
        if place.verbs:
            described = " ".join(f'{verb}\\:"{_zsh_words(words)}"' for verb, words in place.verbs.items())
            rows.append(f"'1: :(({described}))'")
            rows.append("'*:: :->rest'")
        else:
            rows.append("'*:file:_files'" if place.takes_file else "'*:words:()'")
        body = " \\\n    ".join(rows)
        # What follows a command are the command's options, also where the program has one of the same name.
        after = " -A '-*'" if place.verbs else ""
        functions.append(
            f'{name}() {{\n  local curcontext="$curcontext" state line\n  _arguments -C{after} \\\n    {body}'
        )
        nested = [other for other in places if other.words[:-1] == place.words and other.words]
        if place.verbs and nested:
            branches = " ".join(
                f"{other.words[-1]}) {'_'.join(('_chatui', *other.words)).replace('-', '_')} ;;"
                for other in nested
            )
            functions[-1] += f'\n  [[ $state == rest ]] && case "$line[1]" in {branches} esac'
        functions[-1] += "\n}\n"
    return "#compdef chatui\n# completion of chatui for zsh\n" + "\n".join(functions) + ZSH_END


def _zsh_option(option: Option) -> str:
    words = option.words.replace(":", "\\:")
    names = f"{{{','.join(option.names)}}}" if len(option.names) > 1 else option.names[0]
    offered = f"({' '.join(option.choices)})" if option.choices else "_files" if option.takes_file else " "
    value = "".join(f":{word}:{offered}" for word in option.takes)
    # Any number of times, or once under any of its names.
    times = "'*'" if option.is_repeated else f"'({' '.join(option.names)})'"
    return f"{times}{names}'[{words}]{value}'"


def _zsh_words(text: str) -> str:
    return text.replace(":", ",").replace("(", "").replace(")", "")


def fish_script(places: list[Place]) -> str:
    """For fish."""
    lines = ["# completion of chatui for fish", "complete -c chatui -f"]
    commands = " ".join(next(place for place in places if not place.words).verbs)
    for place in places:
        if not place.words:
            where = f'"not __fish_seen_subcommand_from {commands}"'
        else:
            where = '"' + "; and ".join(f"__fish_seen_subcommand_from {word}" for word in place.words) + '"'
            if place.verbs:
                where = where[:-1] + f'; and not __fish_seen_subcommand_from {" ".join(place.verbs)}"'
        lines.extend(
            f"complete -c chatui -n {where} -a {verb} -d '{words}'" for verb, words in place.verbs.items()
        )
        if place.takes_file:
            lines.append(f"complete -c chatui -n {where} -F")
        for option in place.options:
            flags = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
            )
            value = " -r" if option.takes else ""
            value = f" -x -a '{' '.join(option.choices)}'" if option.choices else value
            value += " -F" if option.takes_file else ""
            lines.append(f"complete -c chatui -n {where} {flags}{value} -d '{option.words}'")
    return "\n".join(lines) + "\n"
