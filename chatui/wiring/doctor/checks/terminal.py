"""What the terminal can show and which keys it tells apart."""

import locale
import os
import sys
from importlib.util import find_spec
from typing import Final

from chatui.core.diagnosis import Finding, note, ok, problem
from chatui.view.layout.measure import cells
from chatui.wiring.doctor.check import Check
from chatui.wiring.doctor.patient import Patient
from chatui.wiring.doctor.terminal_answers import EMOJI

LEAST_COLUMNS: Final = 40
LEAST_ROWS: Final = 10


async def look(patient: Patient) -> list[Finding]:
    """Its name, colours, letters, pictures, width of emoji, keys."""
    answers = patient.terminal
    found = [_name(patient), _colours(patient), _letters(), _pictures()]
    if not answers.is_terminal:
        words = "input or output is no terminal: it was not asked about emoji, keys and frames"
        return [*found, note("asking", words, "Run it in the terminal that the app runs in.")]
    if answers.columns is not None and answers.rows is not None:
        words = f"{answers.columns} columns, {answers.rows} rows"
        is_small = answers.columns < LEAST_COLUMNS or answers.rows < LEAST_ROWS
        found.append(note("size", words, "More room shows more.") if is_small else ok("size", words))
    if answers.emoji_cells is not None:
        found.append(_emoji(answers.emoji_cells))
    if answers.has_synchronised_output is not None:
        found.append(
            ok("frames", "shown at once (synchronised output)")
            if answers.has_synchronised_output
            else note("frames", "no synchronised output: a frame may be seen half drawn")
        )
    found += _keys(patient)
    return found


def _name(patient: Patient) -> Finding:
    name = patient.environ.get("TERM", "")
    program = patient.environ.get("TERM_PROGRAM", "")
    version = patient.environ.get("TERM_PROGRAM_VERSION", "")
    if not name and sys.platform != "win32":
        return note("TERM", "is not set", "The app needs a terminal; `chatui --plain` does not.")
    if name == "dumb":
        return problem("TERM", "dumb: the app cannot draw here", "Use `chatui --plain`, or another terminal.")
    more = f" ({f'{program} {version}'.strip()})" if program else ""
    return ok("TERM", f"{name or 'not set'}{more}")


def _colours(patient: Patient) -> Finding:
    environ = patient.environ
    if environ.get("NO_COLOR"):
        return note("colours", "none, because NO_COLOR is set")
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return ok("colours", f"all (COLORTERM={environ['COLORTERM']})")
    if "256" in environ.get("TERM", ""):
        words = "256; COLORTERM is not truecolor"
        return ok("colours", words, "If the terminal can show more: export COLORTERM=truecolor")
    return note("colours", "16", "If the terminal can show more: export COLORTERM=truecolor")


def _letters() -> Finding:
    encoding = (getattr(sys.stdout, "encoding", None) or locale.getpreferredencoding(False)).lower()
    if encoding.replace("-", "").replace("_", "") == "utf8":
        return ok("letters", "UTF-8")
    words = f"{encoding}, not UTF-8: signs are drawn in ASCII and some letters are shown as ?"
    return note("letters", words, "Set LANG to a UTF-8 locale, such as C.UTF-8.")


def _pictures() -> Finding:
    if find_spec("PIL") is not None:
        return ok("pictures", "can be shown (Pillow is installed)")
    return ok("pictures", "are told in words", "To see them: pip install 'chatui[pictures]'")


def _emoji(shown_cells: int) -> Finding:
    drawn = cells(EMOJI)
    if shown_cells == drawn:
        return ok("emoji", f"a joined emoji takes {shown_cells} columns, as chatui counts")
    words = f"a joined emoji takes {shown_cells} columns here, chatui counts {drawn}"
    return note("emoji", words, "Lines with such emoji may be shifted; a newer terminal draws them as one.")


def _keys(patient: Patient) -> list[Finding]:
    has_kitty = patient.terminal.has_kitty_keys
    arrived = ", ".join(patient.terminal.arrived_keys)
    seen = [ok("keys seen", f"{arrived} arrived in this session")] if arrived else []
    if has_kitty:
        return [ok("keys", "every key is told apart (kitty keyboard protocol)"), *seen]
    if has_kitty is None or os.environ.get("TMUX"):
        return seen
    words = "Shift+Enter is not told apart from Enter by this terminal"
    return [note("keys", words, "Ctrl+J, or \\ then Enter, make a new line everywhere."), *seen]


CHECK = Check(title="Terminal", order=80, look=look)
