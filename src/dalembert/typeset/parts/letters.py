"""Letters of the printer: none of them has a second meaning in what it prints."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.expr import Expr, postorder
from dalembert.expr.undefined import undefined_names
from dalembert.typeset.render.names import SCRIPT, parse_name
from dalembert.typeset.tree import CallLeaf, PartialLeaf, Product, SymbolLeaf, leaves

_LETTERS = ("u", "w", "z", "a", "b", "d", "e", "h", "k", "n", "r", "v", "part")


def names_in(expressions: Iterable[Expr]) -> list[str]:
    """Return the names of symbols and of functions without a definition."""
    nodes = postorder(list(expressions))
    return [x.value.name for x in nodes if x.op == "symbol"] + undefined_names(nodes)


def names_in_trees(trees: Iterable[Product]) -> list[str]:
    """Return the names of symbols and functions in print trees."""
    found: list[str] = []
    for tree in trees:
        for leaf in leaves(tree):
            match leaf:
                case SymbolLeaf(symbol):
                    found.append(symbol.name)
                case CallLeaf(function, _) | PartialLeaf(function, _, _):
                    found.append(function)
    return found


def free_letter(names: Iterable[str], taken: Iterable[str] = ()) -> str:
    """Return a letter that no name begins with."""
    used = {parse_name(name).base for name in (*names, *taken)}
    return next(letter for letter in _LETTERS if letter not in used)


def is_taken(letter: str, names: Iterable[str]) -> bool:
    """Tell whether a symbol is called by the letter with an index, as M₁."""
    return any(parse_name(x).base == letter and parse_name(x).digits for x in names)


def own_letter(letter: str, names: Iterable[str]) -> str:
    """Return a letter of ours, in script if a name is that letter, with or without an index.

    >>> own_letter("M", ["m", "g"]), own_letter("M", ["M1", "m"])
    ('M', 'ℳ')
    """
    known = list(names)
    if all(parse_name(name).base != letter for name in known):
        return letter
    return SCRIPT.get(letter) or free_letter(known, ["u", "D"])
