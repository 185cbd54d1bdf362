"""Names of any kind as identifiers of C and C++, and as text in comments.

Only letters, digits and underscores reach the generated text, whatever a model file calls its
parts. Mangling is one-to-one, so that different names stay different.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

C_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while
"""
CPP_KEYWORDS = """
alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class co_await
co_return co_yield compl concept const_cast consteval constexpr constinit decltype delete
dynamic_cast explicit export false final friend import module mutable namespace new noexcept not
not_eq nullptr operator or or_eq override private protected public reinterpret_cast requires
static_assert static_cast template this thread_local throw true try typeid typename typeof using
virtual wchar_t xor xor_eq
"""
# macros that compilers and <math.h> define, and what an embedded main would not expect to be hidden
MACROS = """
INFINITY NAN HUGE_VAL HUGE_VALF HUGE_VALL FP_NAN FP_ZERO FP_NORMAL FP_SUBNORMAL FP_INFINITE NULL EOF
M_E M_PI M_PI_2 M_PI_4 MAXFLOAT DOMAIN OVERFLOW UNDERFLOW PI linux unix near far main
"""
FUNCTIONS = "sin cos tan asin acos atan2 exp log tanh sqrt pow fabs isnan isinf isfinite signbit"
RESERVED = frozenset(f"{C_KEYWORDS} {CPP_KEYWORDS} {MACROS} {FUNCTIONS}".split())

# t12 are the values of a program, w what passes from one piece of it to the next; two macros
_OWN = re.compile(r"t[0-9]+|w|.*_(RESTRICT|H)", re.DOTALL)
# without * no comment ends or begins, without ? and \ no line continues
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 _.,:;()\[\]<>=+\-^'\"/]")
MAX_COMMENT = 120


def identifier(name: str) -> str:
    """Return an identifier for a name, different for different names.

    A character that C does not allow, or allows only the compiler, becomes Z, its number in
    hexadecimal, Z; so does the letter Z itself, which makes the mapping one-to-one. A word that
    C or C++ claims gets an underscore, which no other name ends in.

    >>> identifier("inverse_dynamics"), identifier("q-1"), identifier("int"), identifier("Z")
    ('inverse_dynamics', 'qZ2dZ1', 'int_', 'Z5aZ')
    """
    last = len(name) - 1
    parts = []
    for i, c in enumerate(name):
        good = c.isascii() and c.isalnum() and c != "Z" and not (i == 0 and c.isdigit())
        # the compiler owns underscores that lead or follow each other; the last one is ours
        if c == "_":
            good = 0 < i < last and name[i - 1] != "_"
        parts.append(c if good else f"Z{ord(c):x}Z")
    result = "".join(parts) or "ZZ"
    return f"{result}_" if result in RESERVED or _OWN.fullmatch(result) else result


def identifiers(names: Iterable[str]) -> list[str]:
    """Return an identifier for each name; a name that comes again gets a number.

    >>> identifiers(["q", "q", "v"])
    ['q', 'q_2', 'v']
    """
    names = list(names)
    taken = {identifier(name) for name in names}
    result: list[str] = []
    for name in names:
        plain = chosen = identifier(name)
        count = 1
        while chosen in result or (chosen != plain and chosen in taken):
            count += 1
            chosen = f"{plain}_{count}"
        result.append(chosen)
    return result


def comment_text(text: str) -> str:
    """Return text that cannot end a comment: what is not plain ASCII becomes U+ and its number.

    >>> comment_text("a */ b")
    'a U+002A/ b'
    """
    plain = _NOT_PLAIN.sub(lambda match: f"U+{ord(match[0]):04X}", text)
    return plain if len(plain) <= MAX_COMMENT else f"{plain[:MAX_COMMENT]}..."
