from dataclasses import replace

import pytest

from chatui.core.conversation import Conversation
from chatui.core.errors import Failure, FailureReason, ProgrammingError
from chatui.core.messages import user_message
from chatui.core.turn import Phase, Turn, TurnId


def turn(name: str, parent: str | None = None, **more: object) -> Turn:
    return Turn(
        turn_id=TurnId(name),
        parent_id=None if parent is None else TurnId(parent),
        input=(user_message(name),),
        phase=Phase.COMPLETED,
        **more,  # type: ignore[arg-type]  # only fields of Turn
    )


def cut(name: str, **more: object) -> Turn:
    return Turn(
        turn_id=TurnId(name),
        phase=Phase.FAILED,
        failure=Failure(reason=FailureReason.LENGTH, message="cut"),
        **more,  # type: ignore[arg-type]  # only fields of Turn
    )


def names(turns: tuple[Turn, ...]) -> str:
    return " ".join(turn.turn_id for turn in turns)


TREE = (
    Conversation(conversation_id="c")
    .with_turn(turn("a"))
    .with_turn(turn("b", "a"))
    .with_turn(turn("c", "b"))
    .with_turn(turn("b2", "a"))
    .with_turn(turn("c2", "b2"))
)


def test_the_path_leads_from_the_root_to_the_head() -> None:
    assert names(TREE.path()) == "a b2 c2"
    assert names(TREE.at(TurnId("c")).path()) == "a b c"
    assert TREE.at(None).path() == ()


def test_a_regenerated_answer_stands_beside_the_old_one() -> None:
    assert names(TREE.siblings(TurnId("b"))) == "b b2"
    assert names(TREE.children(TurnId("a"))) == "b b2"
    assert names(TREE.children(None)) == "a"
    assert TREE.siblings(TurnId("nobody")) == ()


def test_going_to_a_sibling_leads_to_where_its_branch_was_left() -> None:
    assert TREE.leaf_below(TurnId("b")) == "c"
    assert TREE.leaf_below(TurnId("a")) == "c2"
    assert TREE.leaf_below(TurnId("c2")) == "c2"


def test_a_broken_parent_link_or_a_ring_ends_the_path_and_never_hangs() -> None:
    broken = Conversation(conversation_id="c", turns=(turn("b", "lost"), turn("c", "b")), head=TurnId("c"))
    assert names(broken.path()) == "b c"
    ring = Conversation(conversation_id="c", turns=(turn("a", "b"), turn("b", "a")), head=TurnId("b"))
    assert names(ring.path()) == "a b"
    assert ring.leaf_below(TurnId("a")) in ("a", "b")


def test_only_completed_or_accepted_turns_come_into_the_tree() -> None:
    for unfinished in (cut("x"), Turn(turn_id=TurnId("x"))):
        with pytest.raises(ProgrammingError):
            TREE.with_turn(unfinished)
    assert TREE.with_turn(cut("x", is_accepted_cut=True)).head == "x"


def test_an_unfinished_turn_stands_beside_the_tree_until_it_is_accepted_or_discarded() -> None:
    beside = TREE.with_unfinished(cut("x", parent_id=TurnId("c2")))
    assert names(beside.path()) == "a b2 c2"
    assert names(beside.with_unfinished(cut("x")).unfinished) == "x"
    assert beside.turn(TurnId("x")) is not None
    assert beside.without_unfinished(TurnId("x")).unfinished == ()
    assert beside.with_turn(cut("x", parent_id=TurnId("c2"), is_accepted_cut=True)).unfinished == ()


def test_earlier_turns_join_before_the_loaded_ones() -> None:
    tail = Conversation(conversation_id="c", turns=(turn("c", "b"),), head=TurnId("c"), earlier_turns=2)
    whole = tail.with_earlier((turn("a"), turn("b", "a"), turn("c", "b")), 0)
    assert names(whole.path()) == "a b c"
    assert whole.earlier_turns == 0


def test_unfinished_turns_are_shown_beside_their_alternatives_by_time() -> None:
    tree = Conversation(conversation_id="c", turns=(turn("a"), turn("b", "a"), turn("d", "b")), head="d")
    early, late = cut("u1", parent_id="a"), cut("u2", parent_id="a", started_at_epoch_s=9.0)
    last = cut("u3", parent_id="d")
    tree = replace(
        tree,
        turns=tuple(replace(known, started_at_epoch_s=5.0) for known in tree.turns),
        unfinished=(late, early, last, cut("elsewhere", parent_id="gone")),
    )
    assert names(tree.shown()) == "a u1 b u2 d u3"


def test_while_another_answer_is_asked_for_the_path_leads_to_it() -> None:
    tree = Conversation(conversation_id="c", turns=(turn("a"), turn("b", "a"), turn("d", "b")), head="d")
    running = Turn(turn_id=TurnId("r"), parent_id=TurnId("a"))
    assert names(tree.shown(running)) == "a r"


def test_of_several_answers_each_knows_its_place() -> None:
    tree = Conversation(conversation_id="c", turns=(turn("a"), turn("b", "a"), turn("d", "a")), head="d")
    assert tree.places() == {"b": (1, 2), "d": (2, 2)}


def test_turns_left_out_by_the_person_are_counted_and_those_of_another_branch_are_not() -> None:
    tree = Conversation(conversation_id="c", turns=(turn("a"), turn("b", "a"), turn("d", "b")), head="d")
    assert replace(tree, sent_from=TurnId("b")).left_out(tree.path()) == 1
    assert replace(tree, sent_from=TurnId("x")).left_out(tree.path()) == 0


def test_an_unfinished_turn_before_the_next_is_named_as_not_sent_unless_it_is_asked_again() -> None:
    said = cut("u", parent_id=TurnId("c2"), input=(user_message("lost"),))
    tree = TREE.with_unfinished(said).with_unfinished(cut("far", parent_id=TurnId("a")))
    plan = tree.plan(tree.head, (user_message("next"),))
    assert [omission.turn_id for omission in plan.omissions if omission.what == "An unfinished turn"] == ["u"]
    again = tree.plan(tree.head, said.input)
    assert all(omission.what != "An unfinished turn" for omission in again.omissions)


def test_what_is_left_out_of_the_beginning_comes_back_as_earlier_turns() -> None:
    whole = Conversation(
        conversation_id="c",
        turns=(turn("a"), turn("b", "a"), turn("other", "a"), turn("c", "b"), turn("d", "c"), turn("e", "c")),
        head=TurnId("e"),
    )
    end = whole.with_end(2)
    assert [found.turn_id for found in end.path()] == ["c", "e"]
    assert [found.turn_id for found in end.turns] == ["c", "d", "e"], "alternatives of what stays, stay"
    assert end.earlier_turns == 2
    assert end.with_end(9) == end
    missing = tuple(found for found in whole.turns if found not in end.turns)
    assert end.with_earlier(missing, 0).path() == whole.path()


def test_what_is_sent_stays_loaded() -> None:
    turns = (turn("a"), turn("b", "a"), turn("c", "b"), turn("d", "c"))
    whole = Conversation(conversation_id="c", turns=turns, head=TurnId("d"), sent_from=TurnId("b"))
    end = whole.with_end(1)
    assert [found.turn_id for found in end.path()] == ["b", "c", "d"]
    assert end.not_sent() == 1
    unknown = replace(whole, sent_from=TurnId("before all of these"), earlier_turns=5)
    assert [found.turn_id for found in unknown.with_end(1).path()] == ["d"]


def test_a_turn_without_one_before_it_has_no_earlier_turns() -> None:
    end = Conversation(conversation_id="c", turns=(turn("d", "c"),), head=TurnId("d"), earlier_turns=3)
    assert end.with_turn(turn("x")).earlier_turns == 0
    assert end.with_turn(turn("e", "d")).earlier_turns == 3


def test_a_turn_after_a_piece_far_above_the_shown_end_is_counted_from_there() -> None:
    end = Conversation(
        conversation_id="c", turns=(turn("y", "x"), turn("z", "y")), head=TurnId("z"), earlier_turns=20
    )
    both = end.with_piece((turn("c", "b"), turn("d", "c"), turn("e", "d")), TurnId("c"), 2)
    assert (names(both.path()), both.earlier_turns) == ("y z", 20)
    asked_again = both.with_turn(turn("e2", "d"))
    assert (names(asked_again.path()), asked_again.earlier_turns) == ("c d e2", 2)
    assert names(asked_again.siblings(TurnId("e2"))) == "e e2"
    assert (both.at(TurnId("d")).earlier_turns, asked_again.at(TurnId("z")).earlier_turns) == (2, 20)
    root = both.with_piece((turn("a"), turn("b", "a")), TurnId("a"), 0)
    assert names(root.at(TurnId("e")).path()) == "a b c d e"
    assert root.at(TurnId("e")).earlier_turns == 0
    assert root.with_end(1).pieces == ()
