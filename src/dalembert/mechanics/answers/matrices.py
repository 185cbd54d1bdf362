"""Grade matrices and columns of the manipulator form: M, C, N, Υ and A."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dalembert.expr import Matrix
from dalembert.mechanics.answers.grade import Grade, right, wrong
from dalembert.mechanics.answers.terms import entry_faults, in_one_ring, vanishes
from dalembert.ring import time_derivative

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def grade_matrix(eq: Equations, part: str, mine: Matrix) -> Grade:
    """Grade a part that has only one right value: M, N, Υ or A."""
    expected: Matrix = getattr(eq.forms, part)
    _, a, b = in_one_ring(eq, mine.entries, expected.entries)
    given, wanted = mine._like(a), mine._like(b)
    if _is_same(given, wanted):
        return right(part)
    faults = entry_faults(eq, given, wanted)
    notes = [f"a mass matrix is symmetric: entries {twins} differ" for twins in _skew(part, given)]
    other = _other_part(eq, part, mine)
    if other:
        notes.append(f"this is {other}, not {part}")
    return wrong(part, faults, notes)


def grade_coriolis(eq: Equations, mine: Matrix) -> Grade:
    """Grade C: every C with the same C q̇ is right; whether Ṁ - 2C is skew is said."""
    M, C = eq.forms.M, eq.forms.C
    ring, a, b = in_one_ring(eq, mine.entries, [*C.entries, *M.entries])
    n = C.shape[0]
    given, wanted, mass = mine._like(a), C._like(b[: n * n]), M._like(b[n * n :])
    if _is_same(given, wanted):
        return right("C")
    rates = ring.column(eq.velocities)
    if _is_same(given @ rates, wanted @ rates):
        skew = time_derivative(ring, max_order=0).of_matrix(mass) - given * 2
        has = all(vanishes(x) for x in skew + skew.T)
        return right(
            "C",
            "another C than that of the Christoffel symbols, with the same C q̇",
            "Ṁ - 2C is skew" if has else "Ṁ - 2C is not skew, as it is with Christoffel symbols",
        )
    if _is_same(given.T, wanted):
        return wrong("C", [], ["C is transposed: rows and columns are exchanged"])
    if _is_same((given.T @ rates), wanted @ rates):
        return wrong("C", [], ["the transpose has the right C q̇: rows and columns are exchanged"])
    return wrong("C", entry_faults(eq, given @ rates, wanted @ rates, "C q̇, row"))


def grade_bias(eq: Equations, C: Matrix, N: Matrix) -> Grade | None:
    """Grade C and N together: right if C q̇ + N is, however it is divided between them."""
    entries = [*C.entries, *N.entries]
    ring, a, b = in_one_ring(eq, entries, list(eq.bias_form))
    total = C._like(a[: len(C)]) @ ring.column(eq.velocities) + N._like(a[len(C) :])
    if not _is_same(total, N._like(b)):
        return None
    return Grade(("C", "N"), "right", (), ("C q̇ + N is right, divided in another way than ours",))


def permuted(order: tuple[int, ...], a: Matrix) -> Matrix:
    """Return a matrix or column that was written in another order of the coordinates."""
    columns = order if a.shape[1] == len(order) > 1 else range(a.shape[1])
    return Matrix([[a[i, j] for j in columns] for i in order], a.shape[1])


def _is_same(a: Matrix, b: Matrix) -> bool:
    return all(vanishes(x) for x in a - b)


def _skew(part: str, a: Matrix) -> list[str]:
    """Return the pairs of entries by which a mass matrix is not symmetric."""
    if part != "M":
        return []
    n = a.shape[0]
    pairs = [(i, j) for i in range(n) for j in range(i) if not vanishes(a[i, j] - a[j, i])]
    return [f"({j + 1}, {i + 1}) and ({i + 1}, {j + 1})" for i, j in pairs]


def _other_part(eq: Equations, part: str, mine: Matrix) -> str:
    """Return which other part of the equations an answer is."""
    others: Mapping[str, Matrix] = {
        "M": eq.forms.M,
        "C": eq.forms.C,
        "N": eq.forms.N,
        "C q̇ + N": eq.bias_form,
        "C q̇": eq.forms.C @ eq.rates,
        "Υ": eq.forms.forces,
        "Aᵀ": eq.forms.A.T,
    }
    for name, other in others.items():
        is_trivial = all(x.is_surely_zero for x in other)
        if name != part and other.shape == mine.shape and not is_trivial:
            _, a, b = in_one_ring(eq, mine.entries, other.entries)
            if all(vanishes(x - y) for x, y in zip(a, b, strict=True)):
                return name
    return ""
