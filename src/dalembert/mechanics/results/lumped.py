"""Lumped parameters: name the combinations of parameters that occur, M = p₁ + 2 p₂ c₂."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import flint

from dalembert.expr import ONE, Expr, Kind, Matrix, is_kind, parameters
from dalembert.mechanics.equations.formula import DerivationLine, formulas_latex
from dalembert.ring import (
    Element,
    Ring,
    canonical,
    canonical_matrix,
    rebuild,
    rebuild_matrix,
    ring_of,
)

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations

Exponents = tuple[int, ...]


class Lumped(NamedTuple):
    """M, C and N in lumped parameters, and the table of what each of them stands for."""

    M: Matrix
    C: Matrix
    N: Matrix
    table: dict[Expr, Expr]

    def __str__(self) -> str:
        lines = [f"{p} = {value}" for p, value in self.table.items()]
        parts = [f"{name} =\n{part}" for name, part in zip("MCN", self[:3], strict=True)]
        return "\n".join([*lines, *parts])

    def _repr_latex_(self) -> str:
        table = [DerivationLine(str(p), p.latex(), value) for p, value in self.table.items()]
        parts = [DerivationLine(x, x, part) for x, part in zip("MCN", self[:3], strict=True)]
        return formulas_latex(table + parts)


def lumped(eq: Equations) -> Lumped:
    """Replace every coefficient of motion by a lumped parameter, equal ones by the same.

    >>> import dalembert as da
    >>> print(da.textbook.planar_arm().equations().lumped().M)
    ⎡p₁ + 2 p₂ c₂  p₃ + p₂ c₂⎤
    ⎣  p₃ + p₂ c₂          p₃⎦
    """
    parts = [eq.M, eq.C, eq.N]
    # ordered: the numbers of the parameters do not depend on what was written before
    ring = ring_of([x for part in parts for x in part], ordered=True)
    taken = {g.symbol.name for g in ring.generators if g.symbol}
    letter = next(c for c in ("p", "pi", "theta", "k", "lumped") if not _clashes(c, taken))
    naming = _Naming(ring, letter)
    forms = [canonical_matrix(ring, part) for part in parts]
    coefficients = [[naming.split(x) for x in form] for form in forms]
    symbols = [parameters(f"{letter}{i + 1}")[0] for i in range(len(naming.found))]
    table = dict(zip(symbols, (rebuild(x) for x in naming.found), strict=True))
    wide = ring_of([x for part in parts for x in part], symbols, ordered=True)
    rebuilt = [
        form._like([_join(wide, ring, terms, symbols) for terms in entries])
        for form, entries in zip(forms, coefficients, strict=True)
    ]
    M, C, N = (rebuild_matrix(a) for a in rebuilt)
    return Lumped(M, C, N, table)


class Term(NamedTuple):
    """Motion, a rational, the number of a lumped parameter, and 1/denominator."""

    motion: Exponents
    rational: Any
    number: int | None
    below: Expr


def _clashes(letter: str, taken: set[str]) -> bool:
    return any(name.startswith(letter) and name[len(letter) :].isdigit() for name in taken)


class _Naming:
    """Recognises coefficients that are rational multiples of one another."""

    def __init__(self, ring: Ring, letter: str) -> None:
        self.ring, self.letter = ring, letter
        self.found: list[Element] = []
        self.constant = {
            i
            for i, g in enumerate(ring.generators)
            if g.op == "symbol" and is_kind(g, Kind.PARAMETER)
        }

    def split(self, x: Element) -> list[Term]:
        """Return the terms of x with the numbers of their lumped parameters."""
        return [
            Term(*term, rebuild(x.ring.one.over(key)))
            for key, p in x.parts()
            for term in self._of(p)
        ]

    def _of(self, p: flint.fmpq_mpoly) -> list[tuple[Exponents, Any, int | None]]:
        groups: dict[Exponents, dict[Exponents, Any]] = {}
        for exponents, k in p.to_dict().items():
            e = [int(n) for n in exponents]
            motion = tuple(0 if i in self.constant else n for i, n in enumerate(e))
            weight = tuple(n if i in self.constant else 0 for i, n in enumerate(e))
            groups.setdefault(motion, {})[weight] = k
        # what does not move is named first
        ordered = sorted(groups, key=lambda motion: (sum(motion), motion))
        return [(motion, *self._name(groups[motion])) for motion in ordered]

    def _name(self, terms: dict[Exponents, Any]) -> tuple[Any, int | None]:
        ring = self.ring
        p = Element(ring, ring.context.from_dict(terms))
        k = p.content()
        if p.leading_sign() < 0:
            k = -k
        p = p * (1 / k)
        if p == 1:
            return k, None
        for i, known in enumerate(self.found):
            if known == p:
                return k, i
        self.found.append(p)
        return k, len(self.found) - 1


def _join(wide: Ring, ring: Ring, terms: list[Term], symbols: list[Expr]) -> Element:
    total = wide.zero
    for motion, k, number, below in terms:
        term = wide.constant(k)
        # exponents of a ring without generators have a place too
        for i, n in enumerate(motion):
            if n:
                term = term * wide.element_of(ring.generators[i]) ** n
        term = term if number is None else term * wide.element_of(symbols[number])
        total = total + (term if below is ONE else term * canonical(wide, below))
    return total
