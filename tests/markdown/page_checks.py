"""What must hold for a printed page: the checks that a corpus case names (see `cases/`).

Bars, boxes, bullets and line numbers at the edges are free; words, their order, shape of code and columns
are not.
"""

import json
import re
import unicodedata
from itertools import pairwise

from wcwidth import wcswidth, wcwidth


def _char_width(ch: str) -> int:
    return max(wcwidth(ch), 0)


def sum_width(text: str) -> int:
    """Every code point counted on its own (what simple terminals do)."""
    return sum(map(_char_width, text))


def width(text: str) -> int:
    """Width with joined emoji counted once when wcwidth is there."""
    if text.isascii():
        return len(text)
    clean = "".join(c for c in text if unicodedata.category(c) != "Cc")
    w = wcswidth(clean)
    return w if w >= 0 else sum_width(text)


# -------------------------------------------------------------- matching
# Characters that may decorate the edge of a line (boxes, bars, quote marks).
DECOR = "".join(map(chr, range(0x2500, 0x25A0))) + "|>\u00a0 \u258e\u2502\u2503\u2506\u250a\u00a6"
_D = "[" + re.escape(DECOR) + "]"
_DN = "[" + re.escape(DECOR) + "\n]"
GAP = f"{_D}*\n{_DN}*"  # an edge between two lines


def pattern(text: str, wrap: bool = True) -> re.Pattern:
    """Regex for text: white space is elastic, a line may end anywhere."""
    out = []
    for part in re.split(r"(\s+)", text.strip()):
        if not part:
            continue
        if part.isspace():
            out.append(f"(?:{GAP}|[ \u00a0]+)" if wrap else "[ \u00a0]+")
        else:
            sep = f"(?:{GAP})?" if wrap else ""
            out.append(sep.join(map(re.escape, part)))
    return re.compile("".join(out))


def find(text: str, want, start: int = 0):
    """want: a string or a list of alternatives. -> (start, end) or None."""
    best = None
    for alt in [want] if isinstance(want, str) else want:
        m = None
        if len(alt) < 3000:
            m = pattern(alt).search(text, start)
        else:  # huge: compare squeezed
            i = text.find(alt, start)
            if i >= 0:
                best = min(best or (i, i + len(alt)), (i, i + len(alt)))
            continue
        if m and (best is None or m.start() < best[0]):
            best = m.span()
    return best


def show(want) -> str:
    s = json.dumps(want, ensure_ascii=False)
    return s if len(s) < 90 else s[:87] + "..."


BAD_CTRL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
EDGE = re.compile(
    _D
    + r"*(?:(?:[\u2022\u25e6\u2023\u2043\u2219\u25aa\u25b8\u25cf\u25cb]|[-*+] )"
    + _D
    + r"*)?(?:\d{1,5}[.:)]?"
    + _D
    + "*)?"
)


def edge_split(line: str, code: str):
    """Prefix widths for which `line` is decoration + code + decoration."""
    got = set()
    code = code.rstrip()
    if not code:
        return None
    i = line.find(code)
    while i >= 0:
        pre, post = line[:i], line[i + len(code) :]
        if EDGE.fullmatch(pre) and not post.strip(DECOR + "\t"):
            got.add(width(pre))
        i = line.find(code, i + 1)
    return got


def tab_forms(block):
    if not any("\t" in l for l in block):
        return [block]
    return [[l.expandtabs(n) for l in block] for n in (2, 4, 8)] + [
        [l.replace("\t", " " * n) for l in block] for n in (2, 4, 8)
    ]


def block_found(lines, block) -> bool:
    block = [b.rstrip() for b in block]
    if not any(b for b in block):
        return True
    for start in range(len(lines) - len(block) + 1):
        common = None
        for k, code in enumerate(block):
            line = lines[start + k]
            if code == "":
                if line.strip(DECOR + "0123456789"):
                    break
                continue
            pre = edge_split(line, code)
            if not pre:
                break
            common = pre if common is None else common & pre
            if not common:
                break
        else:
            return True
    return False


# --------------------------------------------------------------- checks
def natural_table_width(cells) -> int:
    cols = max(map(len, cells))
    w = 0
    for j in range(cols):
        w += max([sum_width(r[j]) for r in cells if j < len(r)] or [0])
    return w + 3 * cols + 1 + 6


def check_table(spec, lines, w) -> list[str]:
    cells, errs = spec["cells"], []
    if len(cells) != spec["rows"] or any(len(r) != spec["columns"] for r in cells):
        return ["corpus error: table spec does not fit its cells"]
    need = spec.get("min_width", natural_table_width(cells))
    if w < need:  # cramped: words only
        flat = "\n".join(lines)
        squeezed = re.sub(_DN + "+", "", flat)
        for row in cells:
            for cell in row:
                for word in cell.split():
                    if word in flat or word in squeezed:
                        continue
                    # a word broken inside a narrow cell: its halves must be there
                    n = len(word)
                    if any(word[:k] in flat and word[k:] in flat for k in range(1, n)):
                        continue
                    if any(
                        word[:a] in flat and word[a:b] in flat and word[b:] in flat
                        for a in range(1, n)
                        for b in range(a + 1, n)
                    ):
                        continue
                    errs.append(f"table word {show(word)} is missing")
        return errs
    spots, pos = [], 0
    for row in cells:
        want = [(j, c) for j, c in enumerate(row) if c]
        for i in range(pos, len(lines)):
            at, got = 0, {}
            for j, c in want:
                m = re.compile(
                    r"(?<![^\s"
                    + re.escape(DECOR)
                    + "])"
                    + re.escape(c)
                    + r"(?![^\s"
                    + re.escape(DECOR)
                    + "])"
                ).search(lines[i], at)
                if not m:
                    break
                got[j] = (m.start(), m.end(), i)
                at = m.end()
            else:
                spots.append(got)
                pos = i + 1
                break
        else:
            errs.append(f"table row {show(row)} is not on one line (in order)")
    if errs or not spec.get("aligned"):
        return errs
    for j in range(spec["columns"]):
        ok = False
        for measure in (width, sum_width):
            a = [measure(lines[g[j][2]][: g[j][0]]) for g in spots if j in g]
            b = [measure(lines[g[j][2]][: g[j][1]]) for g in spots if j in g]
            mid = [x + y for x, y in zip(a, b)]
            how = spec.get("align", [None] * spec["columns"])[j]
            left, right = len(set(a)) <= 1, len(set(b)) <= 1
            centre = max(mid) - min(mid) <= 2 if mid else True
            if how == "right":
                ok |= right
            elif how == "center":
                ok |= centre
            else:
                ok |= left or right or centre
        if not ok:
            errs.append(f"table column {j + 1} is not aligned (starts {a}, ends {b})")
    # columns must not run into each other
    for g in spots:
        order = sorted(g.values())
        for (_, e1, _), (s2, _, i) in pairwise(order):
            if not lines[i][e1:s2].strip(" ") and not lines[i][e1:s2]:
                errs.append("two table cells touch")
    return errs


def line_of(text: str, pos: int) -> int:
    return text.count("\n", 0, pos)


def check(exp: dict, out: str, w: int) -> list[str]:
    """All output checks of one expectation object -> list of complaints."""
    errs: list[str] = []
    raw_lines = out.split("\n")
    lines = [l.rstrip() for l in raw_lines]
    text = "\n".join(lines)

    pos = 0
    for want in exp.get("visible", []):
        at = find(text, want, pos)
        if at is None:
            errs.append(
                f"visible {show(want)} " + ("comes out of order" if find(text, want) else "is missing")
            )
        else:
            pos = at[1]
    for want in exp.get("present", []):
        if find(text, want) is None:
            errs.append(f"present {show(want)} is missing")
    for bad in exp.get("absent", []):
        if bad in out:
            errs.append(f"absent {show(bad)} is shown")
    for want, n in exp.get("count", {}).items():
        got = len(pattern(want).findall(text))
        if got != n:
            errs.append(f"{show(want)} is shown {got} times, not {n}")

    blocks = exp.get("exact_lines", [])
    if blocks and isinstance(blocks[0], str):
        blocks = [blocks]
    for block in blocks:
        if max((sum_width(b.expandtabs(8)) for b in block), default=0) > w - 10:
            continue  # may be cut or wrapped
        if not any(block_found(lines, form) for form in tab_forms(block)):
            miss = [
                b
                for b in block
                if b.strip()
                and not any(edge_split(l, f) for l in lines for form in tab_forms([b]) for f in form)
            ]
            errs.append(
                f"code line {show(miss[0])} is not shown exactly"
                if miss
                else f"code block starting {show(block[0])} lost its shape"
            )

    def spot(s):
        at = find(text, s)
        if at is None:
            errs.append(f"{show(s)} is missing")
            return None
        i = line_of(text, at[0])
        begin = text.rfind("\n", 0, at[0]) + 1
        return i, width(text[begin : at[0]])

    for a, b in exp.get("lines_apart", []):
        x, y = spot(a), spot(b)
        if x and y and not x[0] < y[0]:
            errs.append(f"{show(b)} does not stand on a later line than {show(a)}")
    for a, b in exp.get("deeper", []):
        x, y = spot(a), spot(b)
        if x and y and not x[1] < y[1]:
            errs.append(f"{show(b)} is not further in than {show(a)}")
    for a, b in exp.get("differs", []):
        x, y = spot(a), spot(b)
        if x and y:
            la, lb = lines[x[0]], lines[y[0]]
            if la[: la.find(a.split()[0])] == lb[: lb.find(b.split()[0])]:
                errs.append(f"{show(a)} and {show(b)} carry the same mark")
    for a, b in exp.get("hanging", []):
        x, y = spot(a), spot(b)
        if x and y and x[0] != y[0]:
            l = lines[y[0]]
            if width(l[: len(l) - len(l.lstrip(DECOR))]) != x[1]:
                errs.append(f"the line with {show(b)} does not start under {show(a)}")
    for word in exp.get("whole_words", []):
        if len(pattern(word, wrap=False).findall(text)) != len(pattern(word).findall(text)):
            errs.append(f"the word {show(word)} is cut at a line end")
    for group in exp.get("same_column", []):
        at = [spot(s) for s in group]
        if all(at) and len({c for _, c in at}) > 1:
            errs.append(f"{show(group)} do not start in one column")
    for a, b in exp.get("blank_between", []):
        x, y = spot(a), spot(b)
        if x and y and not any(not lines[i].strip(DECOR) for i in range(x[0] + 1, y[0])):
            errs.append(f"no blank or ruled line between {show(a)} and {show(b)}")

    if "max_blank" in exp:
        run = best = 0
        for l in "\n".join(lines).strip("\n").split("\n"):
            run = 0 if l.strip() else run + 1
            best = max(best, run)
        if best > exp["max_blank"]:
            errs.append(f"{best} blank lines in a row (at most {exp['max_blank']})")
    if "max_lines" in exp and len(text.strip("\n").split("\n")) > exp["max_lines"]:
        errs.append(f"{len(text.strip(chr(10)).split(chr(10)))} lines (at most {exp['max_lines']})")
    if exp.get("max_width"):
        code = {l.strip() for b in blocks for l in b} if exp.get("code_may_scroll") else set()
        for n, l in enumerate(lines, 1):
            if width(l) > w and not any(c and c in l for c in code):
                errs.append(f"line {n} is {width(l)} columns wide: {show(l[:60])}")
                break
    if exp.get("no_controls"):
        m = BAD_CTRL.search(out)
        if m:
            errs.append(f"control character U+{ord(m.group()):04X} in the output")
    if "table" in exp:
        tables = exp["table"] if isinstance(exp["table"], list) else [exp["table"]]
        for t in tables:
            errs += check_table(t, lines, w)
    return errs
