"""A value does what a frozen, slotted dataclass does."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatui.core.values import FEW_VALUES, frozen


@frozen
class Point:
    """Two numbers, a name and what came by."""

    x: int
    y: float = 0.5
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Twin:
    """The same, by the standard library."""

    x: int
    y: float = 0.5
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)


@frozen(kw_only=True)
class Named:
    """Fields by name only."""

    first: str
    last: str = "none"


@frozen
class Base:
    """Something above."""

    a: int

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError("a is negative")


@frozen
class Derived(Base):
    """Something below."""

    b: str = "b"


@frozen
class Single:
    """One field."""

    number: float


@frozen
class OwnWords:
    """Has a `repr` and an equality of its own."""

    secret: str

    def __repr__(self) -> str:
        return "OwnWords(...)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnWords)

    def __hash__(self) -> int:
        return 7


@frozen
class Empty:
    """No field at all."""


@pytest.mark.parametrize("arguments", [(1,), (1, 2.0), (1, 2.0, ["n"]), (1, 2.0, ["n"], "note")])
def test_arguments_and_words_are_those_of_the_standard_library(arguments: tuple[object, ...]) -> None:
    ours, theirs = Point(*arguments), Twin(*arguments)  # type: ignore[arg-type]  # any
    assert repr(ours) == repr(theirs).replace("Twin", "Point")
    assert [getattr(ours, item.name) for item in fields(ours)] == [
        getattr(theirs, item.name) for item in fields(theirs)
    ]


@pytest.mark.parametrize(
    ("arguments", "named"), [((), {}), ((1, 2.0, [], "", 5), {}), ((1,), {"z": 1}), ((1,), {"x": 1})]
)
def test_wrong_arguments_are_refused_in_the_same_words(
    arguments: tuple[object, ...], named: dict[str, object]
) -> None:
    with pytest.raises(TypeError) as theirs:
        Twin(*arguments, **named)  # type: ignore[arg-type]
    with pytest.raises(TypeError) as ours:
        Point(*arguments, **named)  # type: ignore[arg-type]
    assert str(ours.value) == str(theirs.value).replace("Twin", "Point")


def test_a_default_that_is_made_is_made_for_each() -> None:
    assert Point(1).names is not Point(1).names


def test_equality_and_hash_look_at_class_and_fields() -> None:
    assert Named(first="a") == Named(first="a", last="none")
    assert Named(first="a") != Named(first="b")
    assert hash(Named(first="a")) == hash(Named(first="a"))
    assert Named(first="a") != object()
    assert Point(1, note="one") == Point(1, note="other")
    assert Base(1) != Derived(1)
    assert Empty() == Empty()
    not_a_number = Single(float("nan"))
    assert not_a_number == copy.copy(not_a_number)  # as tuples compare


def test_fields_by_name_only() -> None:
    with pytest.raises(TypeError):
        Named("a")  # type: ignore[call-arg]  # what is tested
    assert vars(Named)["__match_args__"] == ()


def test_nothing_can_be_changed() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]  # what is tested
    with pytest.raises(FrozenInstanceError):
        del point.x
    with pytest.raises(FrozenInstanceError):
        point.z = 2  # type: ignore[attr-defined]  # what is tested
    assert not hasattr(point, "__dict__")


def test_it_is_replaced_matched_copied_and_pickled() -> None:
    assert replace(Point(1, 2.0), x=3) == Point(3, 2.0)
    match Point(4, 5.0):
        case Point(x, y):
            assert (x, y) == (4, 5.0)
    point = Point(1, 2.0, ["n"], "note")
    others: list[Point] = [copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))]
    for other in others:
        assert other == point
        assert other.note == "note"


def test_a_class_below_has_all_fields_and_the_check_above() -> None:
    assert repr(Derived(1)) == "Derived(a=1, b='b')"
    assert (Derived(1, "c").a, Derived(1, "c").b) == (1, "c")
    with pytest.raises(ValueError, match="negative"):
        Derived(-1)
    with pytest.raises(ValueError, match="negative"):
        replace(Base(1), a=-1)


def test_what_a_class_says_of_itself_stays() -> None:
    assert repr(OwnWords("s3cret")) == "OwnWords(...)"
    assert OwnWords("a") == OwnWords("b")
    assert hash(OwnWords("a")) == 7


def test_nothing_is_compiled_for_a_class_of_which_few_values_are_made() -> None:
    @frozen
    class Later:
        """Not made yet."""

        a: int

    late = Later.__init__
    assert late.__code__.co_filename.endswith("values.py")
    assert [Later(a=number).a for number in range(FEW_VALUES)] == list(range(FEW_VALUES))
    assert Later.__init__ is late
    assert Later(a=1).a == 1
    assert Later.__init__ is not late


@given(
    st.lists(st.integers(), max_size=5),
    st.dictionaries(st.sampled_from(["x", "y", "names", "note", "z"]), st.integers()),
)
def test_values_made_without_a_function_of_their_own_are_the_same(
    arguments: list[int], named: dict[str, int]
) -> None:
    @frozen
    class Fresh:
        """Never made before."""

        x: int
        y: float = 0.5
        names: list[str] = field(default_factory=list)
        note: str = field(default="", kw_only=True)

    def made() -> object:
        try:
            value = Fresh(*arguments, **named)  # type: ignore[arg-type]  # any
        except TypeError as error:
            return str(error)
        return [getattr(value, item.name) for item in fields(value)]

    first = made()
    for _ in range(FEW_VALUES):
        made()
    assert made() == first
