"""The fast path: lines that differ only in a few values."""

import json

from hypothesis import given
from hypothesis import strategies as st

from chatui.core.line_shape import Holes, learn_shape

HOLES = Holes(("delta",), ("number",), ignored=(("pad",),))
LINE = '{"type":"x","number":4,"delta":"Hi","pad":"aaa","item":"delta"}'


def shape_of(line: str, holes: Holes = HOLES):
    return learn_shape(line, json.loads(line), holes)


def test_lines_of_one_shape_give_text_and_number() -> None:
    shape = shape_of(LINE)
    assert shape is not None
    lines = [LINE, LINE.replace('"Hi"', r'"a\n\u00e9\"b"').replace("4", "-17").replace("aaa", "")]
    run = shape.read_run("", [("", line) for line in lines], 0)
    assert run.texts == ["Hi", 'a\né"b']
    assert run.counters == [4, -17]


def test_other_names_and_other_lines_end_a_run() -> None:
    shape = shape_of(LINE)
    assert shape is not None
    for other in (("e", LINE), ("", LINE + " "), ("", LINE.replace("x", "y")), ("", LINE.replace("4", "04"))):
        assert shape.read_run("", [("", LINE), other, ("", LINE)], 0).texts == ["Hi"]


def test_a_key_that_stands_twice_or_in_a_text_is_found_where_it_counts() -> None:
    line = '{"a":"\\"delta\\":\\"no\\"","delta":"first","number":1,"pad":"","delta":"second"}'
    shape = shape_of(line)
    assert shape is not None
    assert shape.read_run("", [("", line.replace("second", "third"))], 0).texts == ["third"]
    assert shape.read_run("", [("", line.replace("first", "other"))], 0).texts == []


def test_broken_escapes_and_raw_controls_go_the_slow_way() -> None:
    shape = shape_of(LINE)
    assert shape is not None
    for text in (r"\q", r"\u12", "a\x01b", 'a"b', "a\\"):
        assert shape.read_run("", [("", LINE.replace("Hi", text))], 0).texts == []


def test_a_line_without_its_holes_teaches_nothing() -> None:
    assert shape_of('{"number":4,"pad":""}') is None
    assert shape_of('{"delta":5,"number":"4","pad":1.5}') is None
    assert shape_of('{"delta":"x","number":4,"pad":"' + "p" * 5000 + '"}') is None


texts = st.text(
    st.one_of(st.characters(exclude_categories=("Cs",)), st.sampled_from('"\\\n\t\x00{}:,')), max_size=8
)
values = st.fixed_dictionaries(
    {"delta": texts, "number": st.integers(-(10**15), 10**15), "pad": texts, "other": texts}
)


@given(first=values, second=values, is_ascii=st.booleans(), junk=texts)
def test_what_a_shape_reads_is_what_a_full_parse_says(
    first: dict, second: dict, is_ascii: bool, junk: str
) -> None:
    shape = shape_of(json.dumps(first))
    assert shape is not None
    line = json.dumps({**second, "other": first["other"]}, ensure_ascii=is_ascii)
    line = line if len(junk) % 2 else line.replace("pad", "pad" + junk)
    run = shape.read_run("", [("", line)], 0)
    if run.texts:
        value = json.loads(line)
        assert run.texts == [value["delta"]]
        assert run.counters == [value["number"]]
