"""What the highlighter must know of each language: its words, comments, strings, and what runs over line ends.

Short on purpose: enough to tell keywords, names, strings, numbers and comments apart at reading speed.
Source: the languages' own reference manuals.
"""

from functools import lru_cache, partial
from typing import Final

from chatui.core.values import frozen


@frozen(kw_only=True)
class Grammar:
    """A language, described by data."""

    keywords: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    """Built-in types, functions and constants."""
    line_comments: tuple[str, ...] = ()
    blocks: tuple[tuple[str, str, bool], ...] = ()
    """What may run over lines: opening, closing, whether it is a comment (otherwise a string)."""
    quotes: str = "\"'"
    prefixes: str = ""
    """Letters that may stand before a quote."""
    capitals_are_types: bool = False
    ignores_case: bool = False
    variables: str = ""
    """Regular expression of names that stand out (`$name`, `@rule`)."""
    has_dashed_names: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_C_BLOCKS: Final = (("/*", "*/", True),)
_c_like = partial(Grammar, line_comments=("//",), blocks=_C_BLOCKS)
"""A language with the comments of C."""

_PYTHON: Final = Grammar(
    keywords=_words(
        "and as assert async await break case class continue def del elif else except finally for from global if import "
        "in is lambda match nonlocal not or pass raise return try type while with yield True False None"
    ),
    types=_words(
        "self cls int str float bool bytes list dict set tuple object type len print range open super isinstance enumerate "
        "zip map filter sorted min max sum any all abs round repr iter next Exception ValueError TypeError KeyError "
        "RuntimeError OSError property staticmethod classmethod"
    ),
    line_comments=("#",),
    blocks=(('"""', '"""', False), ("'''", "'''", False)),
    prefixes="rRbBfFuU",
    capitals_are_types=True,
    variables=r"@[A-Za-z_][\w.]*",
)
_JAVASCRIPT: Final = _c_like(
    keywords=_words(
        "abstract as async await break case catch class const continue debugger declare default delete do else enum export "
        "extends finally for from function get if implements import in instanceof interface keyof let namespace new of "
        "private protected public readonly return satisfies set static super switch this throw try type typeof var void "
        "while with yield true false null undefined"
    ),
    types=_words(
        "string number boolean any unknown never object symbol bigint console document window process require module"
    ),
    blocks=(*_C_BLOCKS, ("`", "`", False)),
    capitals_are_types=True,
    variables=r"[@#][A-Za-z_$][\w$]*",
)
_C: Final = _c_like(
    keywords=_words(
        "alignas alignof asm auto break case catch class co_await co_return co_yield concept const consteval constexpr "
        "const_cast continue default delete do dynamic_cast else enum explicit export extern for friend goto if inline "
        "mutable namespace new noexcept operator private protected public register reinterpret_cast requires restrict "
        "return sizeof static static_assert static_cast struct switch template this throw try typedef typename union using "
        "virtual volatile while true false nullptr NULL override final"
    ),
    types=_words(
        "void bool char short int long float double signed unsigned size_t ssize_t int8_t int16_t int32_t int64_t uint8_t "
        "uint16_t uint32_t uint64_t wchar_t FILE std string vector map"
    ),
    variables=r"^[ ]*#[ ]*[a-z]+",
)
_JAVA: Final = _c_like(
    keywords=_words(
        "abstract assert break case catch class const continue default do else enum extends final finally for goto if "
        "implements import instanceof interface native new package permits private protected public record return sealed "
        "static strictfp super switch synchronized this throw throws transient try var void volatile while yield true false "
        "null async await base bool checked decimal delegate event explicit extern fixed foreach get in internal is lock "
        "namespace object operator out override params partial readonly ref required sbyte set sizeof stackalloc string "
        "struct uint ulong unchecked unsafe ushort using value virtual when where with val fun companion data when lateinit "
        "suspend trait def extends object given then match lazy implicit"
    ),
    types=_words("boolean byte char double float int long short"),
    blocks=(*_C_BLOCKS, ('"""', '"""', False)),
    capitals_are_types=True,
    variables=r"@[A-Za-z_]\w*",
)
_RUST: Final = _c_like(
    keywords=_words(
        "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub "
        "ref return self Self static struct super trait type union unsafe use where while true false"
    ),
    types=_words(
        "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Some None Ok Err Box Vec String Option Result"
    ),
    quotes='"',
    prefixes="br",
    capitals_are_types=True,
    variables=r"#!?\[|'[a-z_]\w*\b(?!')|[a-z_]\w*!",
)
_GO: Final = _c_like(
    keywords=_words(
        "break case chan const continue default defer else fallthrough for func go goto if import interface map package "
        "range return select struct switch type var true false nil iota"
    ),
    types=_words(
        "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 "
        "uint32 uint64 uintptr append cap close copy delete len make new panic print println recover"
    ),
    blocks=(*_C_BLOCKS, ("`", "`", False)),
)
_SWIFT: Final = _c_like(
    keywords=_words(
        "actor as associatedtype async await break case catch class continue default defer deinit do else enum extension "
        "fallthrough false fileprivate final for func get guard if import in init inout internal is let mutating nil open "
        "operator override private protocol public repeat required return self Self set some static struct subscript super "
        "switch throw throws true try typealias var weak where while library part mixin late dynamic factory with"
    ),
    blocks=(*_C_BLOCKS, ('"""', '"""', False)),
    capitals_are_types=True,
    variables=r"@[A-Za-z_]\w*",
)
_PHP: Final = Grammar(
    keywords=_words(
        "abstract and array as break callable case catch class clone const continue declare default do echo else elseif "
        "empty enum extends final finally fn for foreach function global goto if implements include include_once instanceof "
        "insteadof interface isset list match namespace new or print private protected public readonly require require_once "
        "return static switch throw trait try unset use var while xor yield true false null"
    ),
    line_comments=("//", "#"),
    blocks=_C_BLOCKS,
    capitals_are_types=True,
    variables=r"\$[A-Za-z_]\w*|<\?php|\?>",
)
_SHELL: Final = Grammar(
    keywords=_words(
        "if then else elif fi for while until do done case esac in function select time return exit break continue local "
        "export readonly declare typeset unset shift set source alias trap eval exec begin end param foreach switch"
    ),
    types=_words(
        "echo printf cd ls cat grep sed awk find xargs sort uniq head tail cut tr wc mkdir rm cp mv ln chmod chown sudo apt "
        "git docker curl wget tar pip python python3 npm node cargo make kill ps test read true false uv brew kubectl ssh"
    ),
    line_comments=("#",),
    variables=r"\$\{[^}\n]*\}?|\$[A-Za-z_0-9@*#?!$-]\w*|(?<=\s)--?[A-Za-z][\w-]*|^[ ]*[$%>](?=[ ])",
    has_dashed_names=True,
)
_SQL: Final = Grammar(
    keywords=_words(
        "add all alter and any as asc begin between by cascade case check column commit constraint create cross database "
        "default delete desc distinct drop else end except exists explain false fetch foreign from full grant group having if "
        "in index inner insert intersect into is join key lateral left like limit materialized natural not null offset on or "
        "order outer over partition primary references returning right rollback row rows select set table then transaction "
        "trigger true truncate union unique update using values view when where window with recursive interval"
    ),
    types=_words(
        "bigint boolean char date decimal double float int integer json jsonb numeric real serial smallint text time timestamp "
        "uuid varchar avg coalesce count max min now row_number rank sum"
    ),
    line_comments=("--",),
    blocks=_C_BLOCKS,
    ignores_case=True,
)
_RUBY: Final = Grammar(
    keywords=_words(
        "alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo "
        "rescue retry return self super then true undef unless until when while yield require require_relative include "
        "extend attr_accessor attr_reader attr_writer private public protected raise puts defmodule defp fn receive after"
    ),
    line_comments=("#",),
    blocks=(("=begin", "=end", True), ('"""', '"""', False)),
    capitals_are_types=True,
    variables=r"@{1,2}\w+|:[A-Za-z_]\w*[?!]?|\$\w+",
)
_LUA: Final = Grammar(
    keywords=_words(
        "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"
    ),
    line_comments=("--",),
    blocks=(("--[[", "]]", True), ("[[", "]]", False)),
)
_HASKELL: Final = Grammar(
    keywords=_words(
        "case class data default deriving do else foreign forall if import in infix infixl infixr instance let module newtype "
        "of qualified then type where"
    ),
    line_comments=("--",),
    blocks=(("{-", "-}", True),),
    quotes='"',
    capitals_are_types=True,
)
_R: Final = Grammar(
    keywords=_words(
        "break else for function if in next repeat return while TRUE FALSE NULL NA Inf NaN end begin using struct mutable module import export let do try catch finally true false nothing"
    ),
    line_comments=("#",),
    blocks=(("#=", "=#", True), ('"""', '"""', False)),
)
_JSON: Final = _c_like(
    keywords=_words("true false null"),
    quotes='"',
    variables=r'"(?:[^"\\]|\\.)*"(?=\s*:)',
)
_YAML: Final = Grammar(
    keywords=_words("true false null yes no on off True False"),
    line_comments=("#",),
    variables=r"(?:^|(?<=[-{,]))[ ]*[\w./-]+(?=:(?:\s|$))|[&*][\w-]+|^---",
    has_dashed_names=True,
)
_TOML: Final = Grammar(
    keywords=_words("true false"),
    line_comments=("#", ";"),
    blocks=(('"""', '"""', False), ("'''", "'''", False)),
    variables=r"^[ ]*\[{1,2}[^\]\n]*\]{1,2}|^[ ]*[\w.\"-]+(?=[ ]*[=:])",
    has_dashed_names=True,
)
_MARKUP: Final = Grammar(
    blocks=(("<!--", "-->", True),),
    quotes='"',
    variables=r"</?[A-Za-z][\w:.-]*|/?>|\b[\w:@.-]+(?==)|&[#\w]+;",
)
_CSS: Final = _c_like(
    keywords=_words(
        "important inherit initial unset none auto flex grid block inline relative absolute fixed sticky"
    ),
    variables=r"[.#][A-Za-z][\w-]*|@[\w-]+|--[\w-]+|\$[\w-]+|[\w-]+(?=\s*:)",
    has_dashed_names=True,
)
_DOCKER: Final = Grammar(
    keywords=_words(
        "FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL AS"
    ),
    line_comments=("#",),
    variables=r"\$\{?\w+\}?|(?<=\s)--[\w-]+",
)
_MAKE: Final = Grammar(
    keywords=_words("ifeq ifneq ifdef ifndef else endif include define endef export override"),
    line_comments=("#",),
    variables=r"\$\([^)\n]*\)|\$[@<^*?]|^[\w./%-]+(?=:)",
)
_MARKDOWN: Final = Grammar(
    quotes="",
    blocks=(("<!--", "-->", True),),
    variables=r"^#{1,6}[ ].*|\*\*[^*\n]+\*\*|`[^`\n]+`|^[ ]*(?:[-*+]|\d+\.)(?=[ ])|^>|\[[^\]\n]*\]\([^)\n]*\)",
)

_NAMES: Final[dict[str, Grammar]] = {
    "python py python3 py3 pycon ipython sage starlark bazel pyi": _PYTHON,
    "javascript js jsx typescript ts tsx mjs cjs node ecmascript svelte vue": _JAVASCRIPT,
    "c h cpp c++ cc cxx hpp objc objective-c cuda glsl hlsl arduino ino wgsl zig": _C,
    "java csharp cs c# kotlin kt kts scala groovy gradle": _JAVA,
    "rust rs": _RUST,
    "go golang": _GO,
    "swift dart": _SWIFT,
    "php": _PHP,
    "bash sh shell zsh fish ksh console shell-session shellsession terminal powershell ps1 pwsh": _SHELL,
    "sql postgresql postgres psql mysql sqlite plsql tsql duckdb": _SQL,
    "ruby rb elixir ex exs crystal": _RUBY,
    "lua luau": _LUA,
    "haskell hs elm purescript": _HASKELL,
    "r julia jl": _R,
    "json json5 jsonc jsonl ndjson geojson": _JSON,
    "yaml yml": _YAML,
    "toml ini cfg conf properties dotenv env": _TOML,
    "html xml svg xhtml htm plist rss xaml": _MARKUP,
    "css scss sass less": _CSS,
    "dockerfile docker containerfile": _DOCKER,
    "make makefile mk": _MAKE,
    "markdown md mdx": _MARKDOWN,
}


@lru_cache(maxsize=1)
def _table() -> dict[str, Grammar]:
    return {name: grammar for names, grammar in _NAMES.items() for name in names.split()}


def grammar_of(language: str) -> Grammar | None:
    """The grammar of a language by any of its names."""
    return _table().get(language.lower())
