"""Lines of a stream that look like one that was read before: read in runs, without parsing them.

Invariant: what a shape reads is what a full parse would have said (`core.line_shape`); lines that teach
nothing, or what never comes again, are asked ever more rarely, and few shapes are kept.
"""

from typing import Final

from chatui.core.interpreter import Lesson
from chatui.core.json_access import JsonObject
from chatui.core.line_shape import LineShape, learn_shape

_MOST_SHAPES: Final = 6
_MOST_LESSONS: Final = 64
_LESSON_WAIT: Final = 3
_LONGEST_WAIT: Final = 1024


class LearnedShapes:
    """The shapes of one response, the one that matched last first.

    Args:
        can_learn: False reads every line in full.
    """

    def __init__(self, *, can_learn: bool) -> None:
        self._shapes: list[tuple[LineShape, str, Lesson]] = []
        self._lessons_left = _MOST_LESSONS if can_learn else 0
        self._since_lesson = 0
        self._wait = _LESSON_WAIT

    def __bool__(self) -> bool:
        return bool(self._shapes)

    def read(self, events: list[tuple[str, str]], at: int) -> int:
        """Take all events from `at` on that match a shape; gives the place of the first that matches none."""
        shapes = self._shapes
        size = len(events)
        place = 0
        while at < size and place < len(shapes):
            shape, name, lesson = shapes[place]
            run = shape.read_run(name, events, at)
            if not run.texts:
                place += 1
                continue
            at += len(run.texts)
            if len(run.texts) >= _LESSON_WAIT:
                self._wait = _LESSON_WAIT
            lesson.take(run.texts)
            if run.counters and lesson.count is not None:
                lesson.count(run.counters)
            if run.numbers and lesson.number is not None:
                lesson.number(run.numbers)
            if place:
                shapes.insert(0, shapes.pop(place))
            place = 0
        return at

    def wants_lesson(self, line: str) -> bool:
        """Whether a line that is read in full should teach its shape; empty is none."""
        if self._since_lesson < self._wait or not line or not self._lessons_left:
            self._since_lesson += 1
            return False
        self._since_lesson = 0
        self._wait = min(2 * self._wait, _LONGEST_WAIT)
        return True

    def learn(self, name: str, line: str, value: JsonObject, lesson: Lesson) -> None:
        """Keep the shape of a line, if it has one."""
        self._lessons_left -= 1
        shape = learn_shape(line, value, lesson.holes)
        if shape is not None:
            self._shapes.insert(0, (shape, name, lesson))
            del self._shapes[_MOST_SHAPES:]
