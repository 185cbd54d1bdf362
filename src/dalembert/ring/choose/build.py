"""Choose the generators of a ring for given expressions.

Stages: collect the nodes; give every sine and cosine the linear form of its angle; choose
independent angles so that each form is a whole combination of them; give every other function its
atoms; order the generators; add the relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dalembert.errors import TooLarge
from dalembert.expr import PI, Expr, free_symbols, postorder
from dalembert.expr.graph import structure
from dalembert.expr.undefined import derivatives
from dalembert.ring.canonical import canonical
from dalembert.ring.choose.angles import independent_angles, sine_and_cosine, split_known
from dalembert.ring.choose.arguments import linear_form
from dalembert.ring.choose.atoms import (
    common_units,
    derivative_atoms,
    generator_power,
    is_atom,
    normalise,
)
from dalembert.ring.choose.primes import is_prime
from dalembert.ring.ring import Angle, Ring, Units

TRIGONOMETRIC = ("sin", "cos", "tan")
ARITHMETIC = ("const", "pi", "symbol", "add", "sub", "mul", "div", "neg")
MAX_NESTING = 30


def ring_of(
    exprs: Sequence[Expr],
    symbols: Iterable[Expr] = (),
    *,
    ordered: bool = False,
    more_derivatives: int = 2,
) -> Ring:
    """Return a ring in which the expressions, their derivatives and the symbols have a place.

    Angles come in the order of appearance, or ``ordered`` by the coordinates they contain.
    ``more_derivatives`` says how often functions without a definition can be differentiated: ä of
    a constraint has second derivatives.
    """
    nodes = _closure(exprs, more_derivatives)
    forms = [split_known(linear_form(n.args[0]))[0] for n in nodes if n.op in TRIGONOMETRIC]
    angles = independent_angles(forms, ordered=ordered)
    powers = [p for n in nodes if is_atomic(n) for p in normalise(n).powers]
    units = common_units(powers)
    used = dict.fromkeys(generator_power(p, units)[0] for p in powers)
    atoms = _inner_last((g for g in used if is_atom(g) and g is not PI), units)
    trigs = [sine_and_cosine(angle) for angle in angles]
    # by name: the order of the generators does not depend on earlier calls
    plain = dict.fromkeys(sorted([*free_symbols(nodes), *symbols], key=_symbol_order))
    if PI in used or any(n is PI for n in nodes):
        plain[PI] = None

    generators = [*atoms, *(s for s, _ in trigs), *(c for _, c in trigs), *plain]
    ring = Ring(generators)
    ring.units = units
    for angle, (s, c) in zip(angles, trigs, strict=True):
        ring.angles.append(Angle(angle, ring.index[s], ring.index[c]))
        ring.relate(s, 2, ring.one - ring.element_of(c) ** 2)
        # sines of other multiples of π satisfy further relations
        if not all(term.op == "symbol" for term in angle):
            ring.unsure |= {ring.index[s], ring.index[c]}
    for atom in atoms:
        _relate_atom(ring, atom)
    return ring


def _inner_last(atoms: Iterable[Expr], units: Units) -> list[Expr]:
    """Return the atoms, each before those inside it: a relation rewrites by later generators."""
    levels: dict[Expr, int] = {}

    def level(g: Expr) -> int:
        if g not in levels:
            inside = [n for n in postorder(g.args) if is_atomic(n)]
            inner = {generator_power(p, units)[0] for n in inside for p in normalise(n).powers}
            levels[g] = is_atom(g) + max((level(h) for h in inner), default=0)
        return levels[g]

    # by structure: the order does not depend on what was made first
    return sorted(atoms, key=lambda g: (-level(g), structure(g)))


def _relate_atom(ring: Ring, atom: Expr) -> None:
    """Add the relation of an atom to the ring."""
    is_sure = False
    match atom.op:
        case "pow":
            base = atom.args[0]
            ring.relate(atom, atom.value.denominator, canonical(ring, base))
            # roots of distinct primes are independent (Besicovitch), other roots may not be
            is_sure = base.op == "const" and is_prime(int(base.value))
        case "abs":
            ring.relate(atom, 2, canonical(ring, atom.args[0]) ** 2)
        case "sign":
            ring.relate(atom, 3, ring.element_of(atom))
        case "apply":
            # any values can be those of a function at different points
            is_sure = not any(is_atomic(n) or n is PI for n in postorder(atom.args))
    if not is_sure:
        ring.unsure.add(ring.index[atom])


def _symbol_order(x: Expr) -> tuple[str, int, str]:
    s = x.symbol
    assert s is not None
    return s.name, s.order, s.kind.value


def is_atomic(node: Expr) -> bool:
    """Tell whether the node needs an atom."""
    if node.op == "pow":
        return node.value.denominator != 1
    return node.op not in ARITHMETIC and node.op not in TRIGONOMETRIC


def _closure(exprs: Sequence[Expr], more_derivatives: int) -> list[Expr]:
    """Return all nodes of the expressions and of what their canonical forms bring in, inner first.

    Canonical arguments, exact angles and derivatives may contain functions that the expressions
    themselves do not.
    """
    roots = list(exprs)
    nodes = fresh = postorder(roots)
    known = set(nodes)
    highest = _highest_derivatives(nodes, more_derivatives)
    _limit_nesting(nodes)
    for _ in range(MAX_NESTING):
        needed = dict.fromkeys(e for n in fresh for e in _needed(n, highest) if e not in known)
        if not needed:
            return nodes
        roots += needed
        # a new sweep puts what came later before its users
        nodes = postorder(roots)
        fresh = [n for n in nodes if n not in known]
        known.update(fresh)
    raise TooLarge(
        f"expected canonical arguments after {MAX_NESTING} sweeps, got new ones in each: "
        "evaluate numerically instead of expanding"
    )


def _highest_derivatives(nodes: Sequence[Expr], more: int) -> dict[str, int]:
    """Return for each undefined function the highest derivative that has a place in the ring."""
    found: dict[str, int] = {}
    for node in nodes:
        if node.op == "apply":
            name, orders = node.value
            found[name] = max(found.get(name, 0), sum(orders) + more)
    return found


def _needed(node: Expr, highest: Mapping[str, int]) -> list[Expr]:
    """Return the expressions that the canonical form of one node and its derivative contain."""
    if node.op == "apply":
        name, orders = node.value
        further = derivatives(node) if sum(orders) < highest[name] else ()
        return [*(p.base for p in normalise(node).powers), *further]
    if node.op in TRIGONOMETRIC:
        free, known = split_known(linear_form(node.args[0]))
        return [*free, *(e for s, c, _ in known for e in (s, c))]
    if is_atomic(node):
        return [*(p.base for p in normalise(node).powers), *derivative_atoms(node)]
    return []


def _limit_nesting(nodes: Sequence[Expr]) -> None:
    depth: dict[Expr, int] = {}
    for node in nodes:
        inside = max((depth[arg] for arg in node.args), default=0)
        depth[node] = inside + (node.op not in ARITHMETIC and not _is_whole_power(node))
        if depth[node] > MAX_NESTING:
            raise TooLarge(
                f"expected functions nested at most {MAX_NESTING} deep, got more: "
                "evaluate numerically instead of expanding"
            )


def _is_whole_power(node: Expr) -> bool:
    return node.op == "pow" and node.value.denominator == 1
