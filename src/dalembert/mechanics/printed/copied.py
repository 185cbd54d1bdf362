"""Formulas as Python that can be pasted into a program."""

from __future__ import annotations

import keyword
import random
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dalembert.errors import DalembertError, EvaluationError, InvalidExpression
from dalembert.expr import (
    FUNCTIONS,
    Expr,
    Kind,
    Matrix,
    Notation,
    Symbol,
    as_expr,
    function,
    symbol,
    time,
)
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.mechanics.points.compare import compare
from dalembert.mechanics.printed.read_back import words_of
from dalembert.reader.code.formulas import python_formulas
from dalembert.reader.page import read_text
from dalembert.typeset.printer import entry_trees
from dalembert.typeset.render.python import PythonRenderer
from dalembert.typeset.render.text import TextRenderer
from dalembert.typeset.tree import CallLeaf, NumberLeaf, Product, SymbolLeaf, leaves

MAX_PYTHON = 20_000
"""Characters of Python above which nobody pastes a formula."""
_MAKERS = {
    Kind.COORDINATE: "coordinates",
    Kind.PARAMETER: "parameters",
    Kind.INPUT: "inputs",
    Kind.MULTIPLIER: "multipliers",
}
_OURS = ("da", "Fraction")
"""Names that the text uses itself."""
_RENDER = PythonRenderer().render


def python_code(lines: Sequence[DerivationLine]) -> str | None:
    """Return formulas as statements of Python, after the symbols that they need.

    A formula ``M = …`` becomes ``M = da.Matrix([[…]])``, an equation of motion two statements, one
    for each side. None where a formula has no such form, is longer than `MAX_PYTHON`, or has
    letters that no line explains.

    Raises:
        EvaluationError: The text, read back, is another formula.
    """
    try:
        parts = _statements(lines)
        trees = [tree for part in parts for tree in part.trees]
        symbols, functions = _symbols(parts, lines), _functions(trees)
        heads = _heads(symbols, functions)
    except DalembertError:
        return None
    body = "\n".join(part.text for part in parts)
    text = "\n".join([*heads, "", body])
    if len(text) > MAX_PYTHON:
        return None
    # letters stand for themselves: what they are has an assignment of its own
    letters = {x.name: symbol(x.kind, x.name) for line in lines for x in line.letters}
    _check(parts, symbols, functions, letters)
    return text


class _Statement(NamedTuple):
    """An assignment: what it builds is printed from trees, and ought to be ``form``."""

    name: str
    text: str
    trees: list[Product]
    form: Expr | Matrix


def _statements(lines: Sequence[DerivationLine]) -> list[_Statement]:
    """Return the assignments, those of letters first.

    Raises:
        InvalidExpression: A letter is not explained, or a formula cannot be written.
    """
    explained = {line.explains for line in lines}
    if any(letter not in explained for line in lines for letter in line.letters):
        raise InvalidExpression("expected lines that explain all letters, got others")
    found: list[_Statement] = []
    equations = 0
    for line in sorted(lines, key=lambda line: line.explains is None):
        order = (line.notation or Notation()).order
        right = line.right
        if isinstance(right, Matrix):
            trees = entry_trees(right.entries, order)
            m, n = right.shape
            entries = [_RENDER(tree) for tree in trees]
            rows = ", ".join(f"[{', '.join(entries[i * n : (i + 1) * n])}]" for i in range(m))
            name = _name(line.left)
            found.append(_Statement(name, f"{name} = da.Matrix([{rows}])", trees, right))
            continue
        (tree,) = entry_trees([right], order)
        if line.left_tree is None:
            name = _name(line.left) if line.explains is None else line.explains.name
            found.append(_Statement(name, f"{name} = {_RENDER(tree)}", [tree], right))
            continue
        equations += 1
        left = _read(line.left_tree)
        sides = (("left", line.left_tree, left), ("right", tree, right))
        for side, shown, form in sides:
            name = f"{side}_{equations}"
            found.append(_Statement(name, f"{name} = {_RENDER(shown)}", [shown], form))
    return found


def _read(tree: Product) -> Expr:
    """Return the left side of an equation by what is printed of it, letters as symbols."""
    text = TextRenderer(short=False).render(tree)
    symbols = {x.symbol.name: x.symbol for x in leaves(tree) if isinstance(x, SymbolLeaf)}
    known = [symbol(x.kind, x.name) for x in symbols.values()]
    called = [function(x.function) for x in leaves(tree) if isinstance(x, CallLeaf)]
    numbers = {
        x.digits: x.value / Fraction(10) ** x.exponent
        for x in leaves(tree)
        if isinstance(x, NumberLeaf)
    }
    (found,) = read_text(
        text, [*known, *(f for f in called if f.name not in FUNCTIONS)], numbers
    ).alone
    return found


def _check(
    parts: Sequence[_Statement],
    symbols: Mapping[Kind, Sequence[Symbol]],
    functions: Sequence[str],
    letters: Mapping[str, Expr],
) -> None:
    """Read the assignments back and compare them with the formulas.

    Raises:
        EvaluationError: One cannot be read, or is another formula.
    """
    known: dict[str, Any] = {
        x.name: symbol(x.kind, x.name) for group in symbols.values() for x in group
    }
    if Kind.TIME in symbols:
        known["t"] = time
    known |= {name: function(name) for name in functions}
    try:
        pairs: list[tuple[Expr, Expr]] = []
        for part in parts:
            (built,) = python_formulas(part.text, {**letters, **known}).values()
            if isinstance(part.form, Matrix):
                pairs += zip(
                    (as_expr(x) for row in built for x in row), part.form.entries, strict=True
                )
            else:
                pairs.append((as_expr(built), part.form))
        words = words_of(compare(pairs, random.SystemRandom()))
    except (DalembertError, ValueError) as error:
        words = str(error)
    if words:
        raise EvaluationError(
            f"expected Python of {parts[0].name} to be read back, got: {words}; nothing is "
            "written; report this as a fault of dalembert"
        )


def _name(left: str) -> str:
    """Return a left side as a name of Python: letters and digits of it."""
    subscripts = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
    plain = "".join(x if x.isalnum() else "_" for x in left.translate(subscripts)).strip("_")
    return plain if plain.isidentifier() and not keyword.iskeyword(plain) else f"x_{plain}"


def _symbols(
    parts: Sequence[_Statement], lines: Sequence[DerivationLine]
) -> dict[Kind, list[Symbol]]:
    """Return the symbols to be made, by kind and name.

    Raises:
        InvalidExpression: One has a name that the text cannot give it.
    """
    letters = {x for line in lines for x in line.letters}
    found: dict[Kind, dict[str, Symbol]] = {}
    for leaf in (leaf for part in parts for tree in part.trees for leaf in leaves(tree)):
        if isinstance(leaf, SymbolLeaf) and leaf.symbol not in letters:
            found.setdefault(leaf.symbol.kind, {})[leaf.symbol.name] = leaf.symbol
    names = [name for group in found.values() for name in group]
    taken = {*_OURS, *(part.name for part in parts if len(parts) > 1)}
    for name in names:
        if keyword.iskeyword(name) or not name.isidentifier() or name in taken:
            raise InvalidExpression(f"expected names for Python, got {name}")
    if len({*names}) < len(names):
        raise InvalidExpression("expected one symbol of a name, got several")
    return {kind: sorted(names.values(), key=lambda x: x.name) for kind, names in found.items()}


def _functions(trees: Iterable[Product]) -> list[str]:
    """Return the functions without a definition."""
    used = [x.function for tree in trees for x in leaves(tree) if isinstance(x, CallLeaf)]
    return sorted(set(used) - set(FUNCTIONS))


def _heads(symbols: Mapping[Kind, Sequence[Symbol]], functions: Sequence[str]) -> list[str]:
    heads = ["from fractions import Fraction", "", "import dalembert as da", ""]
    for kind, maker in _MAKERS.items():
        names = [x.name for x in symbols.get(kind, [])]
        if names:
            comma = "," if len(names) == 1 else ""
            heads.append(f'{", ".join(names)}{comma} = da.{maker}("{" ".join(names)}")')
    if Kind.TIME in symbols:
        heads.append("t = da.time")
    return [*heads, *(f'{x} = da.function("{x}")' for x in functions)]
