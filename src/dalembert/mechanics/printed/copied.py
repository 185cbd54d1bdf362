"""Formulas as Python that can be pasted into a program."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Sequence

from dalembert.errors import DalembertError
from dalembert.expr import FUNCTIONS, Kind, Matrix, Notation, Symbol
from dalembert.mechanics.equations.formula import DerivationLine
from dalembert.typeset.printer import entry_trees
from dalembert.typeset.render.python import PythonRenderer
from dalembert.typeset.tree import CallLeaf, Product, SymbolLeaf, leaves

MAX_PYTHON = 20_000
"""Characters of Python above which nobody pastes a formula."""
_MAKERS = {
    Kind.COORDINATE: "coordinates",
    Kind.PARAMETER: "parameters",
    Kind.INPUT: "inputs",
    Kind.MULTIPLIER: "multipliers",
}


def python_code(lines: Sequence[DerivationLine]) -> str | None:
    """Return formulas as statements of Python, after the symbols that they need.

    A formula ``M = …`` becomes ``M = da.Matrix([[…]])``, an equation of motion two statements, one
    for each side. None where a formula has no such form, or is longer than `MAX_PYTHON`.
    """
    try:
        statements, trees = _statements(lines)
        symbols = _symbols(trees)
        text = "\n".join([*_heads(symbols), *_functions(trees), "", *statements])
    except DalembertError:
        return None
    return text if len(text) <= MAX_PYTHON else None


def _statements(lines: Sequence[DerivationLine]) -> tuple[list[str], list[Product]]:
    render = PythonRenderer().render
    found, used = [], []
    equations = 0
    for line in lines:
        order = (line.notation or Notation()).order
        if isinstance(line.form, Matrix):
            trees = entry_trees(line.form.entries, order)
            m, n = line.form.shape
            entries = [render(tree) for tree in trees]
            rows = ", ".join(f"[{', '.join(entries[i * n : (i + 1) * n])}]" for i in range(m))
            found.append(f"{_name(line.left)} = da.Matrix([{rows}])")
            used += trees
            continue
        (right,) = entry_trees([line.form], order)
        used.append(right)
        if line.left_tree is None:
            found.append(f"{_name(line.left)} = {render(right)}")
            continue
        equations += 1
        used.append(line.left_tree)
        found.append(f"left_{equations} = {render(line.left_tree)}")
        found.append(f"right_{equations} = {render(right)}")
    return found, used


def _name(left: str) -> str:
    """Return a left side as a name of Python: letters and digits of it."""
    subscripts = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
    plain = "".join(x if x.isalnum() else "_" for x in left.translate(subscripts)).strip("_")
    return plain if plain.isidentifier() and not keyword.iskeyword(plain) else f"x_{plain}"


def _symbols(trees: Iterable[Product]) -> dict[Kind, list[Symbol]]:
    found: dict[Kind, dict[str, Symbol]] = {}
    for tree in trees:
        for leaf in leaves(tree):
            if isinstance(leaf, SymbolLeaf):
                found.setdefault(leaf.symbol.kind, {})[leaf.symbol.name] = leaf.symbol
    return {kind: sorted(names.values(), key=lambda x: x.name) for kind, names in found.items()}


def _functions(trees: Iterable[Product]) -> list[str]:
    """Return the functions without a definition."""
    used = [x.function for tree in trees for x in leaves(tree) if isinstance(x, CallLeaf)]
    return [f'{x} = da.function("{x}")' for x in sorted(set(used) - set(FUNCTIONS))]


def _heads(symbols: dict[Kind, list[Symbol]]) -> list[str]:
    heads = ["from fractions import Fraction", "", "import dalembert as da", ""]
    for kind, maker in _MAKERS.items():
        names = [x.name for x in symbols.get(kind, [])]
        if names:
            comma = "," if len(names) == 1 else ""
            heads.append(f'{", ".join(names)}{comma} = da.{maker}("{" ".join(names)}")')
    if Kind.TIME in symbols:
        heads.append("t = da.time")
    return heads
