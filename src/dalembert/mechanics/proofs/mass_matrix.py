"""What is proved about the mass matrix: symmetric, the Hessian of L, positive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dalembert.errors import DalembertError, TooLarge
from dalembert.expr import Expr, Kind, Matrix, free_symbols, gradient, is_kind
from dalembert.mechanics.equations.over_ring import over_ring
from dalembert.mechanics.proofs.domain import restricted
from dalembert.mechanics.proofs.hypotheses import Hypothesis, examine
from dalembert.mechanics.proofs.identity import IDENTICAL, identity, ring_for
from dalembert.mechanics.proofs.links import gram_matrix, link_hypotheses, unresisted
from dalembert.mechanics.proofs.nonnegative import is_manifestly_positive
from dalembert.mechanics.proofs.positivity import (
    GramTerm,
    gram_sum,
    gram_terms,
    has_nonnegative_minors,
    indefinite_point,
    regular_point,
)
from dalembert.mechanics.proofs.proof import Proof, point_text
from dalembert.ring import Element, Point, canonical_matrix, determinant, rebuild, refute
from dalembert.ring.algebra.null_space import null_space
from dalembert.typeset.printer import text

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.recursions.tree import Tree

MAX_SHOWN_DETERMINANT = 12
POSITIVE = ("parameters > 0",)


class Positivity(NamedTuple):
    """The proof of M ⪰ 0, a point where its hypotheses hold, and whether M ≻ 0 is known."""

    proof: Proof
    witness: Point
    is_definite: bool = False


def mass_matrix_is_symmetric(eq: Equations) -> Proof:
    """M = Mᵀ."""
    M = eq.forms.M
    return identity(
        eq.ring,
        "M is symmetric",
        M - M.T,
        f"M and Mᵀ: {IDENTICAL}",
        where=restricted(eq.system),
    )


def mass_matrix_is_hessian(eq: Equations) -> Proof:
    """M is the second derivative of L, taken on the graph as written."""
    slopes = gradient(eq.system.lagrangian, eq.velocities)
    hessian = [gradient(p, eq.velocities) for p in slopes]
    ring = ring_for(eq, [x for row in hessian for x in row])
    expected = canonical_matrix(ring, Matrix(hessian))
    M = eq.forms.M if ring is eq.ring else canonical_matrix(ring, eq.M)
    return identity(
        ring,
        "M = ∂²L/∂q̇²",
        expected - M,
        f"L differentiated on the graph as written: {IDENTICAL}",
        where=restricted(eq.system),
    )


def mass_matrix_is_positive(eq: Equations) -> Positivity:
    """M ⪰ 0 for positive masses: a sum of JᵀWJ, or manifestly nonnegative minors."""
    return positivity(
        eq.M, lambda: _gram(eq), lambda: has_nonnegative_minors(eq), restricted(eq.system)
    )


def positivity(
    M: Matrix,
    find_gram: Callable[[], Gram | None],
    shows_minors: Callable[[], bool],
    where: Sequence[Expr] = (),
) -> Positivity:
    """Return the proof of M ⪰ 0 by the Gram matrix, else by the minors, else refute it.

    It is about points where the expressions ``where`` are defined.
    """
    statement = "M ⪰ 0"
    reason = "T is not written as a sum of squares"
    try:
        gram = find_gram()
        if gram is not None:
            assumed = examine(gram.needs)
            # another matrix than the Gram sum may still be positive: then its minors decide
            if assumed.witness is not None and gram.is_mass_matrix():
                method = f"M = Σ JᵀWJ, a Gram matrix from {gram.source}"
                proof = Proof(statement, "proved", method, assumed.texts)
                return Positivity(proof, assumed.witness, gram.is_definite())
            reason = assumed.fault or "M is not the Gram matrix of its inertias"
        if shows_minors():
            method = "minors are sums of even powers with positive coefficients"
            return Positivity(Proof(statement, "proved", method, POSITIVE), {})
    except DalembertError as error:
        reason = str(error)
    point = indefinite_point(M, where)
    if point is not None:
        method = "the determinant of a leading block is negative"
        return Positivity(Proof(statement, "refuted", method, POSITIVE, point), {})
    method = f"{reason}, and the minors of M do not show their sign"
    return Positivity(Proof(statement, "undecided", method, POSITIVE), {})


class Gram(NamedTuple):
    """Σ JᵀWJ from a source: what makes W ⪰ 0, whether the sum is M, and whether M ≻ 0 then."""

    source: str
    needs: list[Hypothesis]
    is_mass_matrix: Callable[[], bool]
    is_definite: Callable[[], bool] = bool


def _gram(eq: Equations) -> Gram | None:
    """Return the Gram matrix of the links, of the bodies, or of the squares that T shows."""
    tree = eq.tree
    if tree is not None:
        return Gram(
            f"the links: {IDENTICAL}",
            link_hypotheses(tree),
            lambda: _is_sum_over_links(eq, tree),
            lambda: not unresisted(tree),
        )
    terms = gram_terms(eq.system)
    if terms is None:
        return None
    source = "the bodies" if eq.system.bodies else "the squares in T"
    return Gram(
        f"{source}: {IDENTICAL}", [term.needs for term in terms], lambda: _is_gram_sum(eq, terms)
    )


def _is_sum_over_links(eq: Equations, tree: Tree) -> bool:
    q = [eq.ring.element_of(x) for x in eq.coordinates]
    rows = gram_matrix(over_ring(tree, eq.ring), q)
    G = Matrix([[eq.ring.element(x) for x in row] for row in rows])
    return all(x.is_surely_zero for x in G - eq.forms.M)


def _is_gram_sum(eq: Equations, terms: list[GramTerm]) -> bool:
    # an inertia about an axis that never turns is in the weights, but not in T
    ring = ring_for(eq, [x for term in terms for x in (*term.weight, *term.J)])
    M = eq.forms.M if ring is eq.ring else canonical_matrix(ring, eq.M)
    return all(x.is_surely_zero for x in gram_sum(ring, terms, len(eq.coordinates)) - M)


def mass_matrix_is_definite(eq: Equations, positive: Positivity) -> Proof | None:
    """M ≻ 0 wherever det M ≠ 0, given M ⪰ 0, and det M is not identically zero."""
    return definiteness(
        eq.M,
        positive,
        lambda: _where_regular(eq),
        lambda: _annihilated_direction(eq),
        restricted(eq.system),
    )


def definiteness(
    M: Matrix,
    positive: Positivity,
    where_regular: Callable[[], tuple[str, tuple[str, ...]]],
    singular: Callable[[], Proof],
    where_defined: Sequence[Expr] = (),
) -> Proof | None:
    """Return the proof of M ≻ 0, given that of M ⪰ 0; ``singular`` if M seems to be so.

    It is about points where the expressions ``where_defined`` are defined.
    """
    semidefinite, witness, is_definite = positive
    if semidefinite.verdict == "refuted":
        return None
    if is_definite:
        named = any(is_kind(x, Kind.PARAMETER) for x in free_symbols(M.entries))
        positive_parameters = POSITIVE if named else ()
        return Proof(
            "M ≻ 0 everywhere",
            "proved",
            "if T = 0, one joint after the other stands still: its link or rotor resists it, "
            "SᵀWS > 0",
            tuple(dict.fromkeys((*semidefinite.hypotheses, *positive_parameters))),
        )
    regular = regular_point(M, witness, where_defined)
    if regular is None:
        return singular()
    where, assumed = where_regular()
    why = "M ⪰ 0, and a positive semidefinite matrix of full rank is definite"
    if not semidefinite.is_proved:
        why = "it rests on M ⪰ 0, which is undecided"
    return Proof(
        f"M ≻ 0 {where}",
        semidefinite.verdict,
        f"{why}; det M ≠ 0 at {point_text(regular) or 'every point'}",
        tuple(dict.fromkeys((*semidefinite.hypotheses, *assumed))),
    )


def _annihilated_direction(eq: Equations) -> Proof:
    """Refute M ≻ 0 by a direction z ≠ 0 with M z = 0, if there is one."""
    where = restricted(eq.system)
    for z in _null_directions(eq):
        is_null = all(x.is_surely_zero for x in eq.forms.M @ z)
        if is_null and _point_where_any(list(z), where) is not None:
            direction = ", ".join(str(rebuild(x)) for x in z)
            return Proof("M ≻ 0", "refuted", f"M annihilates the direction ({direction})")
    return Proof("M ≻ 0", "undecided", "no point was found where det M is certainly not zero")


def _null_directions(eq: Equations) -> Iterator[Matrix]:
    """Yield candidates: coordinates without inertia, then all directions by elimination."""
    ring, M = eq.ring, eq.forms.M
    n = M.shape[0]
    for j in range(n):
        if all(M[i, j].is_surely_zero for i in range(n)):
            yield Matrix.column([ring.one if i == j else ring.zero for i in range(n)])
    free = null_space(ring, M)
    for k in range(free.shape[1]):
        yield free.col(k)


def _point_where_any(elements: list[Element], where: Sequence[Expr]) -> Point | None:
    """Return a point where one of the elements is certainly not zero, and ``where`` defined."""
    points = (refute(rebuild(x), where=where) for x in elements if not x.is_surely_zero)
    return next((point for point in points if point is not None), None)


def _where_regular(eq: Equations) -> tuple[str, tuple[str, ...]]:
    """Return where det M ≠ 0, and what that assumes."""
    unknown = "where det M ≠ 0"
    if len(eq.coordinates) > 3:
        return unknown, ()
    try:
        d = determinant(eq.ring, eq.forms.M)
    except TooLarge:
        return unknown, ()
    if is_manifestly_positive(d):
        return "everywhere", () if not free_symbols([rebuild(d)]) else POSITIVE
    if len(d) <= MAX_SHOWN_DETERMINANT:
        return f"where det M = {text(d, notation=eq.notation)} ≠ 0", ()
    return unknown, ()


def inertias_are_physical(eq: Equations) -> Proof | None:
    """Each principal moment is at most the sum of the other two: ½ tr(I)·1 - I ⪰ 0.

    Only inertia tensors of numbers are judged; symbols are free to satisfy it.
    """
    tensors = [b.inertia for b in eq.system.bodies if isinstance(b.inertia, Matrix)]
    numbers = [I for I in tensors if not free_symbols(I.entries)]
    if not numbers:
        return None
    statement = "no principal moment of inertia exceeds the sum of the other two"
    half_traces = [(I[0, 0] + I[1, 1] + I[2, 2]) / 2 for I in numbers]
    found = examine(
        [
            Hypothesis(f"½ tr(I)·1 - I ⪰ 0 of tensor {i + 1}", Matrix.diagonal([h] * 3) - I)
            for i, (I, h) in enumerate(zip(numbers, half_traces, strict=True))
        ]
    )
    if found.witness is not None:
        return Proof(statement, "proved", "no principal minor of ½ tr(I)·1 - I is negative")
    return Proof(statement, "refuted" if found.are_false else "undecided", found.fault)
