"""Choose the generators of a ring for given expressions.

Stages: collect the nodes; give every sine and cosine the linear form of its angle; choose
independent angles so that each form is a whole combination of them; give every other function its
atoms; order the generators; add the relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dalembert.errors import TooLarge
from dalembert.expr import PI, Expr, free_symbols, postorder
from dalembert.ring.canonical import canonical
from dalembert.ring.choose.angles import independent_angles, sine_and_cosine, split_known
from dalembert.ring.choose.arguments import linear_form
from dalembert.ring.choose.atoms import derivative_atoms, exponential_units, normalise
from dalembert.ring.ring import Angle, Ring

TRIGONOMETRIC = ("sin", "cos", "tan")
ARITHMETIC = ("const", "pi", "symbol", "add", "sub", "mul", "div", "neg")
MAX_NESTING = 30


def ring_of(exprs: Sequence[Expr], symbols: Iterable[Expr] = (), *, ordered: bool = False) -> Ring:
    """Return a ring in which the expressions, their derivatives and the symbols have a place.

    Angles come in the order of appearance, or ``ordered`` by the coordinates they contain.
    """
    nodes = _collect(exprs)
    forms = [split_known(linear_form(n.args[0]))[0] for n in nodes if n.op in TRIGONOMETRIC]
    angles = independent_angles(forms, ordered=ordered)
    exp_units = exponential_units([linear_form(n.args[0]) for n in nodes if n.op == "exp"])

    # operands come before their users in `nodes`: reversed, an atom comes before those inside it
    atoms = dict.fromkeys(
        factor.atom for n in nodes if is_atomic(n) for factor in normalise(n, exp_units).factors
    )
    trigs = [sine_and_cosine(angle) for angle in angles]
    # by name: the order of the generators does not depend on earlier calls
    plain = dict.fromkeys(sorted([*free_symbols(nodes), *symbols], key=_symbol_order))
    if any(n is PI for n in nodes):
        plain[PI] = None

    generators = [*reversed(atoms), *(s for s, _ in trigs), *(c for _, c in trigs), *plain]
    ring = Ring(generators)
    ring.exp_units = exp_units
    for angle, (s, c) in zip(angles, trigs, strict=True):
        ring.angles.append(Angle(angle, ring.index[s], ring.index[c]))
        ring.relate(s, 2, ring.one - ring.element_of(c) ** 2)
        # sines of other multiples of π satisfy further relations
        ring.is_complete &= all(term.op == "symbol" for term in angle)
    for atom in atoms:
        _relate_atom(ring, atom)
    return ring


def _relate_atom(ring: Ring, atom: Expr) -> None:
    """Add the relation of an atom to the ring."""
    match atom.op:
        case "pow":
            base = atom.args[0]
            ring.relate(atom, atom.value.denominator, canonical(ring, base))
            # roots of distinct primes are independent, other roots may not be
            ring.is_complete &= base.op == "const" and atom.value == Fraction(1, 2)
        case "abs":
            ring.relate(atom, 2, canonical(ring, atom.args[0]) ** 2)
            ring.is_complete = False
        case "sign":
            ring.relate(atom, 3, ring.element_of(atom))
            ring.is_complete = False
        case _:
            ring.is_complete = False


def _symbol_order(x: Expr) -> tuple[str, int, str]:
    s = x.symbol
    assert s is not None
    return s.name, s.order, s.kind.value


def is_atomic(node: Expr) -> bool:
    """Tell whether the node needs an atom."""
    if node.op == "pow":
        return node.value.denominator != 1
    return node.op not in ARITHMETIC and node.op not in TRIGONOMETRIC


def _collect(exprs: Sequence[Expr]) -> list[Expr]:
    """Return all nodes, with the functions that exact angles and derivatives bring in."""
    nodes = postorder(list(exprs))
    _limit_nesting(nodes)
    needed: dict[Expr, None] = {}
    for node in nodes:
        if node.op in TRIGONOMETRIC:
            for s, c, _ in split_known(linear_form(node.args[0]))[1]:
                needed |= {s: None, c: None}
        needed |= dict.fromkeys(derivative_atoms(node))
    extra = [e for e in needed if e.op != "const"]
    return postorder([*exprs, *extra]) if extra else nodes


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
