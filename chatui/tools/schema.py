"""Schemas of tools: checked once when a tool is made, and arguments checked against them at each call.

Invariant: no schema makes this program fetch anything or stand still; what is wrong is told in one line that
names the place.
Source: JSON Schema 2020-12 and the drafts before it, by the jsonschema library (loaded with the first tool).
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from chatui.core.errors import ConfigError
from chatui.tools.interruption import interrupted_after

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What all three protocols take as the name of a tool."""
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_LONGEST_PROBLEM: Final = 400
CHECK_S: Final = 1.0
"""So long arguments may be checked: the app stands still meanwhile."""
_WORDS: Final[Mapping[type[Exception], str]] = {RecursionError: "nested too deeply"}


class ArgumentSchema:
    """The schema of a tool's arguments.

    Args:
        schema: A JSON Schema of an object; an empty one takes any object.
        of: Whose schema it is, for messages.

    Raises:
        ConfigError: it is no schema of an object, or points to another document.
    """

    def __init__(self, schema: Mapping[str, object], of: str) -> None:
        self.schema: dict[str, object] = {"type": "object", **schema}
        if self.schema["type"] != "object":
            raise ConfigError(f"{of}: parameters must be a schema of an object")
        outside = next(_references_outside(self.schema), "")
        if outside:
            raise ConfigError(f"{of}: parameters points to another document ({outside[:80]})")
        self._checker = _checker(self.schema, of)

    @property
    def properties(self) -> tuple[str, ...]:
        """Names of the arguments that the schema describes."""
        known = self.schema.get("properties")
        return tuple(known) if isinstance(known, Mapping) else ()

    def problem_with(self, arguments: Mapping[str, object]) -> str:
        """What is wrong with arguments, in one line for person and model; empty if nothing is."""
        instance: Any = dict(arguments)  # read from JSON, which is all that the library asks for
        try:
            with interrupted_after(CHECK_S):
                first = next(iter(self._checker.iter_errors(instance)), None)
        # What the library raises for a schema that only an instance shows to be broken is no family of its
        # own: a reference to nothing, an integer that no float holds, an expression that takes for ever.
        except Exception as problem:  # noqa: BLE001 - whatever it is, such arguments are not run
            return f"they cannot be checked ({type(problem).__name__.strip('_')})"
        if first is None:
            return ""
        where = first.json_path.removeprefix("$").removeprefix(".")
        return f"{where}: {first.message}"[:_LONGEST_PROBLEM] if where else first.message[:_LONGEST_PROBLEM]


def _checker(schema: dict[str, object], of: str) -> "Validator":
    from jsonschema import Draft202012Validator, SchemaError
    from jsonschema.validators import validator_for

    if not isinstance(schema.get("$schema", ""), str):
        raise ConfigError(f"{of}: parameters is no valid schema: $schema is no address")
    try:
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
    except (SchemaError, RecursionError, ValueError) as problem:  # ValueError: an address that is none
        words = (
            problem.message if isinstance(problem, SchemaError) else _WORDS.get(type(problem), str(problem))
        )
        raise ConfigError(f"{of}: parameters is no valid schema: {words[:_LONGEST_PROBLEM]}") from None
    return kind(schema)


def _references_outside(value: object, depth: int = 0) -> Iterator[str]:
    """References that lead out of the schema: following them would fetch them."""
    if depth > 100:
        yield "nested too deeply"
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in _REFERENCES and isinstance(inner, str) and not inner.startswith("#"):
                yield inner
            yield from _references_outside(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _references_outside(inner, depth + 1)
