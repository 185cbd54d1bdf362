"""Results that the code of a page prints, set as formulas: ``m l² θ̈ + m g l sin(θ) = 0``.

The printed text is read by a small grammar: sums of terms, in which products stand side by side and
a slash divides all before it by the factor behind it. Whatever is no formula stays text.
"""

from __future__ import annotations

import re
import unicodedata
from html import escape
from itertools import pairwise

from dalembert.typeset.render.inline import mathml_inline
from tools.markdown import Block, blocks

FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "sign", "abs", "asin", "acos")
TOKEN = re.compile(
    r"\s*(?P<function>(?:sin|cos|tan|exp|log|sqrt|tanh|sign|abs|asin|acos)(?=[²³⁰¹⁴-⁹(]))"
    r"|\s*(?P<number>\d+(?:\.\d+)?)"
    r"|\s*(?P<raised>[⁰¹²³⁴-⁹]+)"
    r"|\s*(?P<letter>[^\W\d_][\u0300-\u036f]*[₀-₉]*(?:_[^\W_₀-₉]+[₀-₉]*)*)"
    r"|\s*(?P<sign>[-+*/()=,·√≈∂])"
)
DOTS = {"\u0307": 1, "\u0308": 2}
HEAD = re.compile(r"\s*(with|where|and)\s+")
MATRIX_LEFT, MATRIX_RIGHT = "⎡⎢⎣", "⎤⎥⎦"
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
MAX_LINES = 24
"""Of a result; a longer one stays text."""


class NoFormula(ValueError):
    """The text is not one that the grammar knows."""


class _Reader:
    """Reads one line of printed text and writes MathML."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        at = 0
        text = unicodedata.normalize("NFD", text.rstrip())
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None or match.lastgroup is None:
                raise NoFormula(text)
            self._tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        self._at = 0
        # of the term that is being read: accelerations, and the degree in velocities
        self._rates = [0, 0]

    def equation(self) -> str:
        """Return the whole line; an equation of motion has terms with classes."""
        has_rates = any("\u0308" in text for _, text in self._tokens)
        left = self._sum(colored=has_rates)
        while self._peek() in ("=", "≈"):
            sign = self._next()
            left += f"<mo>{sign}</mo>{self._sum(colored=False)}"
        if self._at < len(self._tokens):
            raise NoFormula(self._peek())
        return left

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _kind(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _sum(self, *, colored: bool) -> str:
        row = ""
        while True:
            sign = self._next() if self._peek() in ("+", "-") else ""
            if sign:
                row += f"<mo>{'−' if sign == '-' else '+'}</mo>"
            elif row:
                return row
            outer, self._rates = self._rates, [0, 0]
            term = self._term()
            accelerations, velocities = self._rates
            kind = "inertia" if accelerations else "coriolis" if velocities > 1 else "gravity"
            row += f'<mrow class="{kind}">{term}</mrow>' if colored else f"<mrow>{term}</mrow>"
            # of a bracket the term with most
            self._rates = [max(a, b) for a, b in zip(outer, self._rates, strict=True)]
            if self._peek() not in ("+", "-"):
                return row

    def _term(self) -> str:
        start = self._at
        above = self._factors()
        if self._peek() != "/":
            return above
        # a lone bracket above the line needs no signs
        if self._tokens[start][1] == "(" and self._closes(start):
            above = above.removeprefix("<mrow><mo>(</mo>").removesuffix("<mo>)</mo></mrow>")
        self._next()
        return f"<mfrac><mrow>{above}</mrow><mrow>{self._factor(is_below=True)}</mrow></mfrac>"

    def _closes(self, start: int) -> bool:
        """Tell whether a bracket closes right before the next token."""
        depth = 0
        for k in range(start, self._at):
            depth += (self._tokens[k][1] == "(") - (self._tokens[k][1] == ")")
            if not depth:
                return k == self._at - 1
        return False

    def _factors(self) -> str:
        row, low = "", False
        while self._kind() in ("function", "number", "letter") or self._peek() in ("(", "√", "·"):
            is_function = self._kind() == "function"
            if self._peek() == "·":
                self._next()
                row += "<mo>·</mo>"
            part = self._factor()
            if row:
                apart = is_function or low
                row += '<mspace width="0.17em"/>' if apart else "<mo>&#x2062;</mo>"
            row += part
            low = is_function or "<msub" in part
        if not row:
            raise NoFormula(self._peek())
        return row

    def _factor(self, *, is_below: bool = False) -> str:
        kind, text = self._kind(), self._next()
        degree = self._degree(text) if kind == "letter" else [0, 0]
        if kind == "function":
            power = self._raised()
            inside = self._bracket()
            name = f"<mi>{text}</mi>"
            found = f"{_up(name, power)}<mo>&#x2061;</mo>{inside}"
        elif text == "(":
            self._at -= 1
            inside = self._bracket(bare=is_below)
            found = _up(inside, self._raised())
        elif text == "√":
            bare = self._peek() == "("
            found = f"<msqrt>{self._bracket(bare=True) if bare else self._factor()}</msqrt>"
        elif kind == "number":
            found = _up(f"<mn>{text}</mn>", self._raised())
        elif kind == "letter":
            power = self._raised()
            found = _up(_symbol(text), power)
            degree = [degree[0], degree[1] * int(power or 1)]
        else:
            raise NoFormula(text)
        self._rates = [a + b for a, b in zip(self._rates, degree, strict=True)]
        return found

    @staticmethod
    def _degree(text: str) -> list[int]:
        order = max((DOTS.get(ch, 0) for ch in text), default=0)
        return [int(order == 2), int(order == 1)]

    def _raised(self) -> str:
        return self._next().translate(SUPERSCRIPTS) if self._kind() == "raised" else ""

    def _bracket(self, *, bare: bool = False) -> str:
        if self._next() != "(":
            raise NoFormula("(")
        inside = self._sum(colored=False)
        while self._peek() == ",":
            self._next()
            inside += f"<mo>,</mo>{self._sum(colored=False)}"
        if self._peek() != ")":
            raise NoFormula(self._peek())
        self._next()
        if bare and self._kind() != "raised":
            return f"<mrow>{inside}</mrow>"
        return f"<mrow><mo>(</mo>{inside}<mo>)</mo></mrow>"


def _symbol(text: str) -> str:
    """Return a letter with its dots and what stands below it, words too."""
    base, *words = text.split("_")
    head = mathml_inline(base)
    if not words:
        return head
    low = re.fullmatch(r"<mrow><msub>(.*)(<mn>\d+</mn>)</msub></mrow>", head)
    below = "<mo>,</mo>".join([*([low[2]] if low else []), *map(_word, words)])
    top = low[1] if low else head.removeprefix("<mrow>").removesuffix("</mrow>")
    return f"<mrow><msub>{top}<mrow>{below}</mrow></msub></mrow>"


def _word(text: str) -> str:
    """Return a part of a subscript: a word with its digits."""
    plain = unicodedata.normalize("NFKC", text)
    letters = plain.rstrip("0123456789")
    digits = plain[len(letters) :]
    return f"<mi>{escape(letters)}</mi>" + (f"<mn>{digits}</mn>" if digits else "")


def _up(base: str, power: str) -> str:
    """Return a base with its exponent, which stands above a subscript."""
    if not power:
        return base
    low = re.fullmatch(r"(?:<mrow>)?<msub>(.*)</msub>(?:</mrow>)?", base)
    if low and "<msub>" not in low[1]:
        return f"<msubsup>{low[1]}<mn>{power}</mn></msubsup>"
    return f"<msup><mrow>{base}</mrow><mn>{power}</mn></msup>"


def formula(line: str) -> str:
    """Return a line of printed text as MathML without the element ``math``.

    Raises:
        NoFormula: It is no formula.

    >>> formula("x/2")
    '<mrow><mfrac><mrow><mrow><mi>x</mi></mrow></mrow><mrow><mn>2</mn></mrow></mfrac></mrow>'
    """
    return _Reader(line).equation()


def result(text: str) -> str | None:
    """Return what a block prints as a block of HTML, None where nothing in it is a formula.

    Lines that are no formulas stay as they are between those that are.
    """
    lines = text.rstrip("\n").split("\n")
    if not _is_mathematical(text) or len(lines) > MAX_LINES:
        return None
    found: list[str] = []
    at = count = 0
    while at < len(lines):
        try:
            made, after = _matrix(lines, at) if "⎡" in lines[at] else _line(lines[at], at)
            found.append(f'<math display="block"><mrow>{made}</mrow></math>')
            count += 1
        except NoFormula:
            after = at + 1
            found.append(f"<pre>{escape(lines[at])}</pre>")
        at = after
    if not count:
        return None
    plain = escape(text.rstrip("\n")).replace("\n", "&#10;")
    return (
        f'<div class="math result">{"".join(found)}</div>\n'
        f'<details class="printed"><summary>as text</summary><pre>{plain}</pre></details>\n'
    )


def _line(line: str, at: int) -> tuple[str, int]:
    """Return a line as MathML, with the word that it begins with, and the number of the next."""
    head = HEAD.match(line)
    word, rest = (head[1], line[head.end() :]) if head else ("", line.strip())
    if not any(x in rest for x in "=≈") and not _is_mathematical(rest):
        raise NoFormula(line)
    made = "<mo>,</mo><mspace width='0.8em'/>".join(map(formula, _pieces(rest)))
    return (f"<mtext>{word}&#xA0;</mtext>{made}" if word else made), at + 1


def _pieces(text: str) -> list[str]:
    """Return what stands between commas outside of brackets."""
    found, depth, start = [], 0, 0
    for k, ch in enumerate(text):
        depth += (ch == "(") - (ch == ")")
        if ch == "," and not depth:
            found.append(text[start:k])
            start = k + 1
    return [*found, text[start:]]


def _is_mathematical(text: str) -> bool:
    """Tell whether a text has rates or a matrix of symbols, so that nobody wants it as text."""
    apart = unicodedata.normalize("NFD", text)
    return any(x in apart for x in (*DOTS, "⎡")) and any(ch.isalpha() for ch in text)


def _matrix(lines: list[str], at: int) -> tuple[str, int]:
    """Return a matrix with what stands before it, and the number of the line behind it."""
    first = lines[at]
    if "⎡" not in first:
        raise NoFormula(first)
    left = first.index("⎡")
    last = at
    while "⎣" not in lines[last]:
        last += 1
        if last == len(lines):
            raise NoFormula(first)
    block = lines[at : last + 1]
    names = " ".join(line[:left].strip() for line in block).strip()
    rows = []
    for line in block:
        inside = line[left:].strip()
        if inside[0] not in MATRIX_LEFT or inside[-1] not in MATRIX_RIGHT:
            raise NoFormula(line)
        rows.append([x for x in re.split(r"\s{2,}", inside[1:-1].strip()) if x])
    if len({len(row) for row in rows}) != 1:
        raise NoFormula(first)
    cells = "".join(
        f"<mtr>{''.join(f'<mtd>{formula(x)}</mtd>' for x in row)}</mtr>" for row in rows
    )
    name = ""
    if names:
        letter, _, rest = names.partition("=")
        if rest.strip():
            raise NoFormula(names)
        name = f"{mathml_inline(letter.strip())}<mo>=</mo>"
    return f"{name}<mrow><mo>[</mo><mtable>{cells}</mtable><mo>]</mo></mrow>", last + 1


def with_formulas(page: str) -> str:
    """Return a page of Markdown in which printed formulas behind code are set as such."""
    lines = page.splitlines(keepends=True)
    found = blocks(page)
    # from the end, so that numbers of lines stay true
    for before, block in reversed(list(pairwise(found))):
        if not (before.info.startswith("python") and block.info == "text" and not block.follows):
            continue
        made = result(block.text)
        if made is not None:
            first, count = _fence(block)
            lines[first : first + count] = [made]
    return "".join(lines)


def _fence(block: Block) -> tuple[int, int]:
    """Return the first line of a block with its fences, from 0, and how many lines it has."""
    return block.first - 2, block.text.count("\n") + 2
