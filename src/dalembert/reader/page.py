"""Read what stands on a page: equations, expressions and matrices, with the parts they name.

A page is a list of statements. ``where D = …`` and ``with u₁ = …`` say what letters are that no
symbol has; ``with x² - l² = 0`` and ``and s₁ = sin(q₁)`` are equations like the others.
"""

from __future__ import annotations

import graphlib
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple

from dalembert.errors import ParseError
from dalembert.expr.node import Expr
from dalembert.expr.undefined import UndefinedFunction
from dalembert.reader.build import NO_NUMBERS, Numbers
from dalembert.reader.grammar import Parser
from dalembert.reader.names import Word
from dalembert.reader.notations.latex import latex_tokens
from dalembert.reader.notations.mathml import MATRIX, Element, element_tokens, elements
from dalembert.reader.notations.rows import (
    Cells,
    Line,
    latex_lines,
    text_lines,
)
from dalembert.reader.notations.text import text_tokens
from dalembert.reader.shorts import short_angle
from dalembert.reader.tokens import Token, refuse
from dalembert.reader.vocabulary import Vocabulary

Symbols = Iterable[Expr | UndefinedFunction]


class Page(NamedTuple):
    """What is read, without named parts: these are put in.

    ``equations`` are pairs of left and right side, ``alone`` expressions without an equals sign,
    ``matrices`` the rows of matrices.
    """

    equations: list[tuple[Expr, Expr]]
    alone: list[Expr]
    matrices: list[list[list[Expr]]]


class _Statement(NamedTuple):
    """The tokens of both sides of an equation, of one of a bare expression, or of cells."""

    sides: list[list[Token]]
    is_explained: bool = False
    cells: list[list[list[Token]]] | None = None


def read_text(text: str, symbols: Symbols, numbers: Numbers = NO_NUMBERS) -> Page:
    """Read a page of text as dalembert prints it, broken lines included.

    ``numbers`` are the exact ones behind the digits of those that were rounded.
    """
    return _read([_statements(line, text_tokens) for line in text_lines(text)], symbols, numbers)


def read_latex(latex: str, symbols: Symbols, numbers: Numbers = NO_NUMBERS) -> Page:
    """Read a page of LaTeX: an ``aligned`` block, or one formula."""
    found = [_statements(line, latex_tokens) for line in latex_lines(latex)]
    return _read(found, symbols, numbers)


def read_mathml(
    lines: Sequence[Sequence[str]], symbols: Symbols, numbers: Numbers = NO_NUMBERS
) -> Page:
    """Read MathML: the lines of a formula, then those of each of its named parts."""
    found = []
    for i, line in enumerate(lines):
        row = elements("".join(line))
        table = _table(row)
        if table is None:
            tokens = [*element_tokens([row]), Token("end", "the end", 1)]
            found.append([_Statement(_sides(tokens), i > 0)])
        else:
            found.append([_Statement([], False, table)])
    return _read(found, symbols, numbers)


def _table(row: Element) -> list[list[list[Token]]] | None:
    """Return the cells of a matrix, None of another formula."""
    work = [row]
    while work:
        x = work.pop()
        if x.name == MATRIX:
            return [
                [
                    [*element_tokens(cell.children), Token("end", "the end", 1)]
                    for cell in r.children
                ]
                for r in x.children
            ]
        work.extend(x.children)
    return None


def _statements(line: Line, tokens_of) -> list[_Statement]:  # type: ignore[no-untyped-def]
    """Return the statements of a line: one, or several between commas after ``where``."""
    if isinstance(line, Cells):
        return [_Statement([], False, [[list(tokens_of(x)) for x in row] for row in line.rows])]
    tokens = list(tokens_of(line.text))
    if not line.head:
        return [_Statement(_sides(tokens))]
    return [_Statement(_sides(piece), True) for piece in _between_commas(tokens)]


def _between_commas(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the pieces between commas that stand in no brackets, each with an end."""
    piece: list[Token] = []
    depth = 0
    for token in tokens:
        depth += (token.kind == "open") - (token.kind == "close")
        if token.kind == "end" or (token.kind == "comma" and not depth):
            yield [*piece, Token("end", "the end", token.column)]
            piece = []
        else:
            piece.append(token)


def _sides(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens on the two sides of an equals sign, or all; ≈ in front of all is none."""
    sides: list[list[Token]] = [[]]
    if tokens[0].kind == "equals" and tokens[0].text == "≈":
        tokens = tokens[1:]
    for token in tokens:
        if token.kind == "equals":
            sides[-1].append(Token("end", "the end", token.column))
            sides.append([])
            if len(sides) > 2:
                refuse(token, "one = in an equation", "write one equation for each")
        else:
            sides[-1].append(token)
    return sides


def _read(lines: Sequence[Sequence[_Statement]], symbols: Symbols, numbers: Numbers) -> Page:
    statements = [statement for line in lines for statement in line]
    known = {_name(x): x for x in symbols}
    vocabulary = Vocabulary(known)
    defined: dict[str, list[Token]] = {}
    for statement in statements:
        word = _defined_word(statement, vocabulary)
        if word is not None:
            name = _spelled(word)
            if name in defined:
                refuse(statement.sides[0][0], "each part once", "name the second one differently")
            defined[name] = statement.sides[1]
    if defined:
        vocabulary = _with_parts(known, defined, numbers)
    read = Parser(vocabulary, numbers).run
    page = Page([], [], [])
    for statement in statements:
        if statement.cells is not None:
            page.matrices.append([[read(x) for x in row] for row in statement.cells])
        elif len(statement.sides) == 1:
            page.alone.append(read(statement.sides[0]))
        elif _names(statement.sides[0], defined) is None:
            left, right = map(read, statement.sides)
            page.equations.append((left, right))
    return page


def _name(x: Expr | UndefinedFunction) -> str:
    return x.name if isinstance(x, UndefinedFunction) else x.value.name


def _defined_word(statement: _Statement, vocabulary: Vocabulary) -> Word | None:
    """Return the letter that a statement explains, None of an equation between known ones."""
    if not statement.is_explained or len(statement.sides) != 2:
        return None
    left = [token for token in statement.sides[0][:-1] if token.kind != "thin"]
    if len(left) != 1 or left[0].kind != "word":
        return None
    word: Word = left[0].value
    if (
        word.order
        or vocabulary.factors(word) is not None
        or short_angle(word, vocabulary) is not None
    ):
        return None
    return word


def _spelled(word: Word) -> str:
    """Return the name that a word spells, Greek letters as letters."""
    return "_".join([word.base + word.digits, *word.below])


def _names(tokens: Sequence[Token], defined: Container[str]) -> str | None:
    """Return the part that tokens name, None if they are something else."""
    if len(tokens) == 2 and tokens[0].kind == "word":
        word: Word = tokens[0].value
        name = _spelled(word)
        return name if name in defined and not word.order else None
    return None


def _with_parts(
    known: dict[str, Expr | UndefinedFunction],
    defined: dict[str, list[Token]],
    numbers: Numbers,
) -> Vocabulary:
    """Return the vocabulary with the parts; each is read after those that it contains."""
    needs = {
        name: {inner for token in tokens if (inner := _names([token, token], defined)) is not None}
        for name, tokens in defined.items()
    }
    try:
        order = list(graphlib.TopologicalSorter(needs).static_order())
    except graphlib.CycleError as error:
        names = ", ".join(error.args[1])
        raise ParseError(
            f"expected parts that are explained by others, got a circle: {names}"
        ) from None
    vocabulary = Vocabulary(known)
    parser = Parser(vocabulary, numbers)
    for name in order:
        vocabulary.add(name, parser.run(defined[name]))
    return vocabulary
