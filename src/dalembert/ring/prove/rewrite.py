"""Write an expression with fewer kinds of functions, so that more relations are known.

Every rule is an identity at each point where the left side is defined, and the right side is
defined there too: tanh by exp, |u| by sign(u), acos by asin, cos(u + r π) by the addition theorem,
the root of a square in half angles by its modulus.
"""

from __future__ import annotations

from fractions import Fraction

from dalembert.errors import DalembertError
from dalembert.expr import ONE, PI, Expr, asin, constant, exp, postorder, power, sign, sqrt
from dalembert.expr.fold import is_nonnegative
from dalembert.expr.functions import rebuild as with_operands
from dalembert.expr.functions import sine_of_turns
from dalembert.expr.node import make
from dalembert.ring.algebra.trig_factors import square_root
from dalembert.ring.canonical import canonical
from dalembert.ring.choose.angles import form_expr
from dalembert.ring.choose.build import ring_of
from dalembert.ring.factors import factors
from dalembert.ring.forms import canonical_argument, linear_form, perfect_root
from dalembert.ring.rebuild import rebuild

MAX_TERMS_TO_FACTOR = 60
MAX_DEPTH = 8


def rewritten(e: Expr) -> Expr:
    """Return the expression with the rules of this module applied from the inside out."""
    done: dict[Expr, Expr] = {}
    for node in postorder([e]):
        done[node] = _rule(with_operands(node, tuple(done[arg] for arg in node.args)))
    return done[e]


def _rule(node: Expr) -> Expr:
    match node.op:
        case "tanh":
            # tanh u = 1 - 2/(e^2u + 1)
            return 1 - 2 / (exp(2 * node.args[0]) + 1)
        case "acos":
            # acos u = π/2 - asin u
            return PI / 2 - asin(node.args[0])
        case "abs":
            # |u| = sign(u) u
            return _sign(node.args[0]) * node.args[0]
        case "sign":
            return _sign(node.args[0])
        case "pow" if node.value.denominator == 2:
            # √(k f²) = √k |f|
            found = _square(node.args[0])
            if found is None:
                return node
            k, f = found
            return power(sqrt(k) * (_sign(f) * f), Fraction(node.value.numerator))
        case "sin" | "cos":
            return _without_turns(node)
        case _:
            return node


def _sign(u: Expr, depth: int = MAX_DEPTH) -> Expr:
    """Return sign(u) as the product of the signs of its factors."""
    if _is_positive(u):
        return ONE
    match u.op:
        case "neg" if depth:
            return -_sign(u.args[0], depth - 1)
        case "mul" | "div" if depth:
            return _sign(u.args[0], depth - 1) * _sign(u.args[1], depth - 1)
        case "pow" if depth and u.value.denominator == 1:
            # σ³ = σ
            one = _sign(u.args[0], depth - 1)
            return one if u.value % 2 else one**2
        case _:
            return _sign_of_sum(u)


def _is_positive(u: Expr, depth: int = MAX_DEPTH) -> bool:
    """Tell whether the structure shows u > 0 wherever u is defined."""
    match u.op:
        case "const":
            return u.value > 0
        case "pi" | "exp":
            return True
        case "add" if depth:
            a, b = u.args
            if _is_positive(a, depth - 1):
                return is_nonnegative(b)
            return is_nonnegative(a) and _is_positive(b, depth - 1)
        case "mul" | "div" | "pow" if depth:
            return all(_is_positive(arg, depth - 1) for arg in u.args)
        case _:
            return False


def _sign_of_sum(u: Expr) -> Expr:
    k, x = canonical_argument(u)
    result = sign(constant(k))
    if x is ONE or _is_positive(x):
        return result
    ring = ring_of([x], ordered=True)
    element = canonical(ring, x)
    if not all(g.op == "symbol" for g in ring.generators) or len(element) > MAX_TERMS_TO_FACTOR:
        return result * sign(x)
    for p in element.over_one():
        number, found = factors(p)
        result = result * sign(constant(1 if number > 0 else -1))
        for f, n in found:
            one = sign(rebuild(ring.polynomial(f)))
            # σ³ = σ
            result = result * (one if n % 2 else one**2)
    return result


def _square(u: Expr) -> tuple[Fraction, Expr] | None:
    """Return (k, f) with u = k f² and k > 0, f perhaps with half angles, or None."""
    k, x = canonical_argument(u)
    root = None if k <= 0 or x is ONE else perfect_root(x, 2)
    if root is not None:
        return k, root
    try:
        return square_root(canonical(ring_of([u], ordered=True), u))
    except DalembertError:
        return None


def _without_turns(node: Expr) -> Expr:
    """Return sin or cos of u + r π by the addition theorem, r π apart."""
    form = linear_form(node.args[0])
    r = form.pop(PI, Fraction(0))
    if not r or not form:
        return node
    u = form_expr(form)
    s, c = make("sin", (u,)), make("cos", (u,))
    sr, cr = sine(r), sine(r + Fraction(1, 2))
    return s * cr + c * sr if node.op == "sin" else c * cr - s * sr


def sine(r: Fraction) -> Expr:
    """Return sin(r π), with 0 ≤ r ≤ 1/2 inside."""
    exact = sine_of_turns(r)
    if exact is not None:
        return exact
    r %= 2
    flip = r > 1
    r = r - 1 if flip else r
    r = min(r, 1 - r)
    e = make("sin", (constant(r) * PI,))
    return -e if flip else e
