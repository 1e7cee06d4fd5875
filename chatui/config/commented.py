"""The configuration file as a person first sees it: every setting with its sentence, all commented out.

Invariant: made from the dataclasses of `settings`, so it can never tell of a setting that does not exist;
with the comment marks taken away it is a valid file that changes nothing.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from chatui.config.reading import Limits, alternatives, describe_type
from chatui.config.sources import setting_keys, variable_of

HEAD: Final = """\
# chatui's configuration. Everything is optional: "# " begins a remark, "#" alone a setting that is off.
# Where a value comes from:  chatui config show      Is the file right:  chatui config check
# Stronger than this file: flags, then variables (CHATUI_UI_THEME and so on), then a project's .chatui.toml.
# Keys of providers do not belong here: they come from a variable, a command or a file of mode 0600.
"""

TAIL: Final = """\
# Keys: the id of an action (see the palette, Ctrl+P) and the key that you want for it.
# Keys of your own: a command by the name that the palette (Ctrl+P) shows after its slash, then its keys,
# several with commas between them; what is wrong with them is told by `chatui config check`.
#[keys]
#new = "ctrl+n, f11"

# Profiles: a system prompt with parameters, applied with --profile NAME or in the palette.
#[profiles.translator]
#description = "Translates into English"
#system = "Translate what I write into English. Say nothing else."
#model = ""
#parameters = { temperature = 0.2 }

# Templates: prompts with variables.
#[templates.review]
#text = "Review this {language} code for mistakes:\\n{selection}"

# Providers of your own, or changes to those that come along; the same keys as in chatui's provider files.
#[providers.work]
#base_url = "https://llm.example.com/v1"
#protocol = "chat_completions"
#key_command = ["pass", "show", "llm"]
#default_model = "gpt-5.5"
#dialect = { has_think_tags = false }

# What you know of models; prices are only ever yours.
#[models."gpt-5.5"]
#context_window_tokens = 1050000
#input_price_per_million = 1.25
#output_price_per_million = 10.0
"""


def commented_config() -> str:
    """The text of a new configuration file."""
    return "\n".join(_lines())


def toml_value(value: object) -> str:
    """A value as TOML writes it, on one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list() | tuple():
            return "[" + ", ".join(toml_value(item) for item in value) + "]"
        case dict():
            return (
                "{ "
                + ", ".join(f"{toml_value(key)} = {toml_value(item)}" for key, item in value.items())
                + " }"
            )
        case StrEnum():
            return _quoted(value.value)
        case _:
            return _quoted(str(value))


def _lines() -> Iterator[str]:
    yield HEAD
    section: tuple[str, ...] = ()
    for path, kind, limits, default in setting_keys():
        if path[:-1] != section:
            section = path[:-1]
            yield ""
            yield f"#[{'.'.join(section)}]"
        yield f"# {limits.doc}{_allowed(kind, limits)}"
        shown = limits.example if default is None else default
        yield f"#{path[-1]} = {toml_value(shown)}  # {variable_of(path)}"
    yield ""
    yield TAIL


def _allowed(kind: object, limits: Limits) -> str:
    words = describe_type(kind, limits)
    return "" if alternatives(kind) == (str,) and not limits.allowed else f" ({words})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else _escape(ord(c)) for c in escaped) + '"'


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
