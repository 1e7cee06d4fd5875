"""Deterministic Markdown to stream: the same text on every machine, so that runs can be compared.

Invariant: the pieces of a text, joined, are the text, and the last piece is `END_MARK` alone, which stands
nowhere else: when it is on the screen, everything is.
"""

import functools
import itertools
import random
from collections.abc import Callable
from typing import Final

START_MARK: Final = "STARTMARK7Q"
END_MARK: Final = "ENDMARK7Q"
CHARACTERS_PER_TOKEN: Final = 4
KINDS: Final = ("md", "para", "list", "table", "code", "cjk")

_WORDS: Final = (  # noqa: SIM905 - a list would be a page long
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had "
    "an they which one you were all her she there would their we him been has when who will no more if "
    "out so what up said about than into them can only other new some could time these two may then do "
    "first any my now such like our over man me even most made after also did many before must through "
    "back years where much your way well down should because each just those people how too little "
    "state good very make world still own see men work long get here between both life being under "
    "never day same another know while last might us great old year off come since against go came "
    "right used take three buffer scheduler latency throughput renderer terminal widget asynchronous "
    "queue parser compositor viewport allocation cache invalidation deterministic incremental snapshot "
    "transaction replication consistency gradient tokenizer attention embedding quantization checkpoint"
).split()
_CJK: Final = (
    "数据库的事务隔离级别决定了并发读写时可以看到什么。",
    "这个函数在每一帧都会被调用，因此必须足够快。",
    "レンダリングは増分的に行われ、変更された行だけが再描画されます。",
    "キャッシュの無効化は難しい問題の一つです。",
    "스트리밍 응답은 토큰 단위로 도착하며 화면은 매 프레임 갱신됩니다.",
    "终端的宽度以单元格计算，汉字占两个单元格。",
)
_INLINE: Final = ("**{}**", "*{}*", "`{}()`", "[{}](https://example.com/docs/page)", "~~{}~~", "`{}`")
_CODE: Final = {
    "python": '''def merge_intervals(intervals: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge overlapping intervals (number @N@)."""
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((start, stop))
    return merged  # O(n log n)

async def fetch_@N@(client, url, *, retries=3):
    for attempt in range(retries):
        try:
            response = await client.get(url, timeout=10.0)
            response.raise_for_status()
            return response.json()
        except httpx.HTTPError as error:
            log.warning("attempt %d failed: %s", attempt, error)
            await asyncio.sleep(2 ** attempt * 0.1)
    raise RuntimeError(f"gave up on {url!r}")
''',
    "rust": """pub fn checksum_@N@(bytes: &[u8]) -> u32 {
    let mut hash: u32 = 0x811c9dc5;
    for &byte in bytes {
        hash ^= byte as u32;
        hash = hash.wrapping_mul(0x01000193);
    }
    hash
}

#[derive(Debug, Clone)]
struct Frame<'a> { id: u64, body: &'a str, flags: Option<u8> }
""",
    "javascript": """export async function* readLines@N@(stream) {
  const decoder = new TextDecoder("utf-8");
  let rest = "";
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    let at;
    while ((at = rest.indexOf("\\n")) >= 0) {
      yield rest.slice(0, at); // line @N@
      rest = rest.slice(at + 1);
    }
  }
  if (rest) yield rest;
}
""",
    "bash": """#!/usr/bin/env bash
set -euo pipefail
for file in "$DIR"/*.log; do
  [[ -s "$file" ]] || continue
  awk -v n=@N@ '{ if ($9 >= 500) c[$7]++ } END { for (k in c) print c[k], k }' "$file" | sort -rn | head -20
done
""",
    "sql": """WITH ranked AS (
  SELECT customer_id, total, ROW_NUMBER() OVER (PARTITION BY region ORDER BY total DESC) AS place
  FROM orders WHERE created_at >= NOW() - INTERVAL '@N@ days'
)
SELECT r.customer_id, c.name, r.total FROM ranked r JOIN customers c USING (customer_id)
WHERE r.place <= 10 ORDER BY r.total DESC;
""",
    "json": """{"id": @N@, "object": "chat.completion.chunk", "choices": [{"delta": {"content": "hello"}}]}
""",
    "go": """func (s *Server) handle@N@(w http.ResponseWriter, r *http.Request) {
\tctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
\tdefer cancel()
\trows, err := s.db.QueryContext(ctx, "SELECT id, name FROM items WHERE id > $1", @N@)
\tif err != nil {
\t\thttp.Error(w, err.Error(), http.StatusInternalServerError)
\t\treturn
\t}
\tdefer rows.Close()
}
""",
}
_LANGUAGES: Final = tuple(_CODE)


class _Writer:
    """Writes one text of a kind; all its choices come from one seeded generator."""

    def __init__(self, kind: str, characters: int) -> None:
        self._random = random.Random(kind)
        self._wanted = characters
        self._opening = f"{START_MARK} here is a long answer."

    def write(self, kind: str) -> str:
        """The whole text."""
        match kind:
            case "md":
                return "\n\n".join([self._opening, *self._mixed()])
            case "para":
                return f"{self._opening}\n\n" + " ".join(self._grow(self._sentence))
            case "list":
                return f"{self._opening}\n\n" + "\n".join(self._grow(lambda: "- " + self._sentence()))
            case "table":
                head = ["| Name | Value | Note |", "| --- | ---: | :-- |"]
                return f"{self._opening}\n\n" + "\n".join([*head, *self._grow(self._wide_row)])
            case "code":
                numbers = iter(range(1, self._wanted))
                body = self._grow(lambda: _CODE["python"].replace("@N@", str(next(numbers))))
                return f"{self._opening}\n\n" + "\n".join(["```python", *body, "```"])
            case "cjk":
                return "\n\n".join([self._opening, *self._grow(self._cjk_paragraph)])
            case _:
                raise KeyError(kind)

    def _grow(self, make: Callable[[], str]) -> list[str]:
        pieces: list[str] = []
        size = len(self._opening)
        while size < self._wanted:
            piece = make()
            pieces.append(piece)
            size += len(piece) + 1
        return pieces

    def _mixed(self) -> list[str]:
        number = 0

        def block() -> str:
            nonlocal number
            number += 1
            choose = self._random
            match number % 12:
                case 1:
                    title = " ".join(choose.choice(_WORDS) for _ in range(4)).title()
                    return f"{choose.choice(('#', '##', '##', '###'))} Section {number}: {title}"
                case 2 | 5 | 8:
                    return self._paragraph(3, 7)
                case 3:
                    return self._bullets(choose.randint(3, 8))
                case 4 | 10:
                    return self._fence(number // 4)
                case 6:
                    return self._table(choose.randint(4, 10))
                case 7:
                    return "\n".join(f"{n}. {self._sentence()}" for n in range(1, choose.randint(4, 8)))
                case 9:
                    return f"> {self._sentence()}\n> {self._sentence()}"
                case 11:
                    return self._cjk_paragraph()
                case _:
                    heading = f"### {self._sentence(has_marks=False)}"
                    return f"{heading}\n\n{'---' if number % 24 == 0 else self._paragraph(5, 9)}"

        return self._grow(block)

    def _sentence(self, *, has_marks: bool = True) -> str:
        choose = self._random
        words = [choose.choice(_WORDS) for _ in range(choose.randint(7, 22))]
        for _ in range(choose.choice((0, 0, 1, 1, 2)) if has_marks else 0):
            at = choose.randrange(len(words))
            words[at] = choose.choice(_INLINE).format(words[at])
        joined = " ".join(words)
        return joined[0].upper() + joined[1:] + choose.choice((".", ".", ".", ":", "?"))

    def _paragraph(self, least: int, most: int) -> str:
        return " ".join(self._sentence() for _ in range(self._random.randint(least, most)))

    def _cjk_paragraph(self) -> str:
        choose = self._random
        return "".join(choose.choice(_CJK) for _ in range(choose.randint(2, 4))) + " " + self._sentence()

    def _bullets(self, items: int) -> str:
        lines: list[str] = []
        for _ in range(items):
            lines.append("- " + self._sentence())
            if self._random.random() < 0.25:
                lines.extend("  - " + self._sentence() for _ in range(self._random.randint(1, 3)))
        return "\n".join(lines)

    def _fence(self, number: int) -> str:
        language = _LANGUAGES[number % len(_LANGUAGES)]
        return f"```{language}\n{_CODE[language].replace('@N@', str(number))}```"

    def _table(self, rows: int) -> str:
        choose = self._random
        columns = choose.randint(3, 5)
        head = " | ".join(choose.choice(_WORDS).title() for _ in range(columns))
        rule = "|".join(choose.choice((" --- ", " :-- ", " --: ", ":---:")) for _ in range(columns))
        body = [" | ".join(self._cell() for _ in range(columns)) for _ in range(rows)]
        return "\n".join([f"| {head} |", f"|{rule}|", *(f"| {row} |" for row in body)])

    def _cell(self) -> str:
        choose = self._random
        match choose.randrange(4):
            case 0:
                return str(choose.randint(1, 99999))
            case 1:
                return choose.choice(_WORDS)
            case 2:
                return f"`{choose.choice(_WORDS)}`"
            case _:
                return " ".join(choose.choice(_WORDS) for _ in range(3))

    def _wide_row(self) -> str:
        choose = self._random
        note = " ".join(choose.choice(_WORDS) for _ in range(5))
        return f"| {choose.choice(_WORDS)} | {choose.randint(1, 99999)} | {note} |"


@functools.cache
def text(kind: str, token_count: int) -> str:
    """The text of a kind, without the mark of its end."""
    return _Writer(kind, token_count * CHARACTERS_PER_TOKEN).write(kind) + "\n\n"


@functools.cache
def tokens(kind: str, token_count: int) -> tuple[str, ...]:
    """The text in exactly `token_count` pieces, the last of them `END_MARK`."""
    whole = text(kind, token_count)
    pieces = token_count - 1
    cuts = [round(at * len(whole) / pieces) for at in range(pieces + 1)]
    return (*(whole[start:stop] for start, stop in itertools.pairwise(cuts)), END_MARK)
