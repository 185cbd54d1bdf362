"""Check a certificate of equations of motion. This file needs Python 3.9 and nothing else.

    python check.py claims.json               print what was described and what is proved about it
    python check.py claims.json --equations   print M, C, N and the constraints too
    python check.py claims.json --quiet       print the verdict only

Exit status: 0 every claim holds, 1 the certificate is refused, 2 wrong arguments.

A certificate is data: programs, each a list of steps, and each step makes one number from numbers
before it. One program describes a mechanism. Another one, which shares no step with it, claims what
its equations of motion are. Further ones are code that was compiled for simulation. This file turns
every step into a polynomial, takes derivatives by the rules below, and reduces each claim to
polynomials that must be zero. It computes with whole numbers: no floats, no random numbers.

Why zero here means zero. The generators of the polynomials are the symbols; for an angle u a pair
cos u, sin u with sin² u = 1 - cos² u; for a root r of p the relation r² = p, p > 0; for an inverse
i of p the relation i p = 1, p ≠ 0; and tanh, sign and abs of p without a relation. Real numbers
satisfy these relations, so evaluation at a state maps sums to sums and products to products: a
polynomial that is zero here is zero at every state where each p > 0 and p ≠ 0 holds. These
conditions are printed. The certificate has to name a state where they hold together, and intervals
show that they do: no claim is true for want of states.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import Any

FORMAT = "dalembert-certificate-1"
EXPONENT_BITS = 16
EXPONENT = (1 << EXPONENT_BITS) - 1
MAX_BITS = 14_000  # of a coefficient: below 4,300 digits, all that Python prints
MAX_CELLS = 4_000_000  # terms of all polynomials alive, some 250 bytes each
MAX_WORK = 500_000_000  # products of terms and the like, in all: a minute or two
MAX_GENERATORS = 2_000
MAX_FILE_BYTES = 1 << 24
MAX_POWER = 64  # of a step, and the largest multiple of an angle
NUMBER = re.compile("(0|-?[1-9][0-9]{0,999})(/[1-9][0-9]{0,999})?", re.ASCII)
# ASCII alone: no Cyrillic a or Greek omicron can pass for another letter
NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
TITLE = re.compile("[A-Za-z0-9_][A-Za-z0-9_ .:,()+-]{0,99}", re.ASCII)
FUNCTIONS = ("tanh", "sign", "abs")
RESERVED = {"t", "pi", "cos", "sin", *FUNCTIONS}


class Refused(Exception):
    """The certificate is malformed, too large, or claims something that is not shown."""

    claim = ""  # what was being checked


class Limit(Refused):
    """It may be right, but exceeds a bound of the checker."""


class Meter:
    """Bounds on the whole: a hostile certificate is refused, it neither hangs nor fills memory."""

    work, cells, generators = MAX_WORK, MAX_CELLS, 0

    @classmethod
    def spend(cls, units: int) -> None:
        cls.work -= units
        if cls.work < 0:
            raise Limit("it needs more work than the checker allows")

    @classmethod
    def need(cls, cells: int) -> None:
        if cells > cls.cells:
            raise Limit("it needs more memory than the checker allows")


def pairs(a, b):
    """zip for lists of one length."""
    if len(a) != len(b):
        raise Refused("two lists have different lengths")
    return zip(a, b)


# ---- polynomials


class Poly:
    """Σ terms[m] · m / den with whole numbers terms[m].

    A monomial m is one integer with 16 bits for the exponent of each generator: the product of
    monomials is the sum of integers. ``top`` bounds the degree, so that no exponent overflows.
    ``ring`` has the relations of the generators; numbers have none.
    """

    __slots__ = ("cells", "den", "ring", "terms", "top", "weight")
    meter = Meter

    def __init__(self, ring: Ring | None, terms: dict, den: int = 1, top: int = 0) -> None:
        self.cells = 0
        terms = {m: c for m, c in terms.items() if c}
        if den != 1:
            g = den
            for c in terms.values():
                g = gcd(g, c)
                if g == 1:
                    break
            if g != 1:
                den, terms = den // g, {m: c // g for m, c in terms.items()}
        bits = max(map(int.bit_length, terms.values()), default=0)
        if top > EXPONENT or max(bits, den.bit_length()) > MAX_BITS:
            raise Limit("a degree or a coefficient is too large")
        self.ring, self.terms, self.den, self.top = ring, terms, den, top
        # a term costs one cell, more with a long coefficient or many generators
        self.weight = 1 + (bits + EXPONENT_BITS * Meter.generators) // 512
        cells = self.weight * (1 + len(terms))
        Meter.spend(cells)
        Meter.need(cells)
        Meter.cells -= cells
        self.cells = cells

    def __del__(self) -> None:
        self.meter.cells += self.cells

    def like(self, terms: dict, top: int | None = None) -> Poly:
        """Return a polynomial over the same denominator."""
        return Poly(self.ring, terms, self.den, self.top if top is None else top)

    def key(self):
        """Return what equal polynomials have in common."""
        Meter.spend(self.cells)
        return self.den, frozenset(self.terms.items())

    def __add__(self, other: Poly) -> Poly:
        return total([self, other])

    def __neg__(self) -> Poly:
        return self.like({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Poly) -> Poly:
        return total([self, -other])

    def times(self, x) -> Poly:
        """Return the product with a number."""
        n, d = Fraction(x).numerator, Fraction(x).denominator
        return Poly(self.ring, {m: c * n for m, c in self.terms.items()}, self.den * d, self.top)

    def __mul__(self, other: Poly) -> Poly:
        a, b = (self, other) if len(self.terms) < len(other.terms) else (other, self)
        weight = max(a.weight, b.weight)
        Meter.spend(1 + len(a.terms) * len(b.terms) * weight)
        terms: dict = {}
        for m, c in a.terms.items():
            for n, d in b.terms.items():
                terms[m + n] = terms.get(m + n, 0) + c * d
            Meter.need(len(terms) * weight)
        ring = a.ring or b.ring
        product = Poly(ring, terms, a.den * b.den, a.top + b.top)
        return ring.reduced(product) if ring else product

    def __pow__(self, n: int) -> Poly:
        product = ONE
        for _ in range(n):
            product = product * self
        return product


def total(items) -> Poly:
    """Return the sum of polynomials."""
    items = list(items)
    den, terms = 1, {}
    for p in items:
        den = lcm(den, p.den)
        if den.bit_length() > MAX_BITS:
            raise Limit("a coefficient is too large")
    for p in items:
        factor = den // p.den
        Meter.spend(len(p.terms) * p.weight)
        for m, c in p.terms.items():
            terms[m] = terms.get(m, 0) + c * factor
        Meter.need(len(terms))
    ring = next((p.ring for p in items if p.ring), None)
    return Poly(ring, terms, den, max((p.top for p in items), default=0))


def dot(a, b) -> Poly:
    return total(x * y for x, y in pairs(a, b))


def cross(a, b) -> list[Poly]:
    return [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]


def plus(*vectors) -> list[Poly]:
    return [total(entries) for entries in zip(*vectors)]


def scaled(x: Poly, vector) -> list[Poly]:
    return [x * u for u in vector]


ZERO, ONE = Poly(None, {}), Poly(None, {0: 1})


class Ring:
    """The generators in the order of their making, with their relations and derivatives."""

    def __init__(self, names: list[str], positive: list[str]) -> None:
        # of every generator: name, kind, what it is a function of, its symbols, whether it is > 0
        self.names, self.kinds, self.inner, self.depends, self.above = [], [], [], [], []
        self.squares, self.mask = {}, 0  # what replaces the square of a generator, and its bits
        self.inverses, self.rules = {}, {}  # p of the inverse of p; (u, slope by u)
        self.conditions = []  # (generator that brought it, p, "≠" or ">")
        self.made = {}
        self.place = {name: k for k, name in enumerate([*names, "pi"])}
        if len(self.place) <= len(names):
            raise Refused("a name is declared twice")
        for name in self.place:
            self.generator("symbol", name, None, name == "pi" or name in positive)

    def generator(self, kind: str, name: str, inner: Poly | None, above: bool, top=1) -> Poly:
        k = len(self.names)
        if k == MAX_GENERATORS:
            raise Limit("too many different symbols, angles, roots and quotients")
        Meter.generators = k + 1
        self.names.append(name if inner is None else f"{name}({self.label(inner)})")
        self.kinds.append(kind)
        self.inner.append(inner)
        self.depends.append({name} if inner is None else self.uses(inner))
        self.above.append(above)
        return Poly(self, {1 << EXPONENT_BITS * k: 1}, 1, top)

    def symbol(self, name: str) -> Poly:
        if name not in self.place:
            raise Refused(f"{str(name)[:40]!a} is not declared")
        return Poly(self, {1 << EXPONENT_BITS * self.place[name]: 1}, 1, 1)

    def once(self, kind: str, p: Poly):
        """Return the generators of this kind for p, the same for equal polynomials."""
        key = kind, p.key()
        if key not in self.made:
            self.made[key] = getattr(self, "_" + kind)(p)
        return self.made[key]

    def _angle(self, u: Poly) -> tuple[Poly, Poly]:
        """Return cos u and sin u: s² = 1 - c², dc = -s du, ds = c du; of π/6 and π/4 roots."""
        half, pi = Fraction(1, 2), self.symbol("pi")
        if not (pi.times(Fraction(1, 6)) - u).terms:
            return self.once("root", ONE.times(3)).times(half), ONE.times(half)
        if not (pi.times(Fraction(1, 4)) - u).terms:
            return (self.once("root", ONE.times(2)).times(half),) * 2
        k = len(self.names)
        c = self.generator("cos", "cos", u, False)
        s = self.generator("sin", "sin", u, False)
        self._replace_square(k + 1, ONE - c * c)
        self.rules[k], self.rules[k + 1] = (u, -s), (u, c)
        return c, s

    def _inverse(self, p: Poly) -> Poly:
        """Return i with i p = 1, di = -i² dp; p ≠ 0 becomes a condition."""
        if self.is_zero(p):
            raise Refused("division by zero")
        if set(p.terms) == {0}:
            return ONE.times(Fraction(p.den, p.terms[0]))
        k = len(self.names)
        i = self.generator("inverse", "1/", p, self.sign(p) == 2)
        self.inverses[k] = p
        self.rules[k] = p, -(i * i)
        self.conditions.append((k, p, "≠"))
        return i

    def _root(self, p: Poly) -> Poly:
        """Return r > 0 with r² = p, dr = r/(2p) dp; p > 0 becomes a condition."""
        i, k = self.once("inverse", p), len(self.names)
        r = self.generator("root", "√", p, True, max(1, (p.top + 1) // 2))
        self._replace_square(k, p)
        self.rules[k] = p, (r * i).times(Fraction(1, 2))
        # that a number is positive is seen
        if self.sign(p) < 2 or set(p.terms) != {0}:
            self.conditions.append((k, p, ">"))
        return r

    def _tanh(self, p: Poly) -> Poly:
        h = self.generator("tanh", "tanh", p, False)
        self.rules[len(self.names) - 1] = p, ONE - h * h
        return h

    def _sign(self, p: Poly) -> Poly:
        return self.generator("sign", "sign", p, False)

    def _abs(self, p: Poly) -> Poly:
        return self.generator("abs", "abs", p, False)

    def _replace_square(self, k: int, value: Poly) -> None:
        self.squares[k] = value
        self.mask |= (EXPONENT - 1) << EXPONENT_BITS * k

    def reduced(self, p: Poly) -> Poly:
        """Replace the squares of sines and roots: a normal form, as no two relations overlap."""
        high = 0
        for m in p.terms:
            high |= m & self.mask
        if not high:
            return p
        # the newest first: what replaces its square may contain the square of an older one
        k = (high.bit_length() - 1) // EXPONENT_BITS
        shift, kept, squared = EXPONENT_BITS * k, {}, {}
        for m, c in p.terms.items():
            if m >> shift & EXPONENT >= 2:
                squared[m - (2 << shift)] = c
            else:
                kept[m] = c
        value = self.squares[k]
        # the degree of the square is at least that of its value, and at least 2
        rest = p.like(squared, p.top - max(2, value.top))
        return self.reduced(p.like(kept)) + rest * value

    def cleared(self, p: Poly) -> Poly:
        """Return p times powers of what inverses are of: it has none, and is zero where p is."""
        while True:
            present = [k for k in self.occurring(p) if k in self.inverses]
            if not present:
                return p
            # the newest first: what it is the inverse of may contain older inverses
            q, shift = self.inverses[present[-1]], EXPONENT_BITS * present[-1]
            parts: dict = {}
            for m, c in p.terms.items():
                e = m >> shift & EXPONENT
                parts.setdefault(e, {})[m - (e << shift)] = c
            # Σ part_e i^e, times q^most
            most, terms = max(parts), sorted(parts.items())
            p = total(p.like(part) * q ** (most - e) for e, part in terms)

    def is_zero(self, p: Poly) -> bool:
        return not p.terms or not self.cleared(p).terms

    def factors(self, m: int) -> list[tuple[int, int]]:
        """Return the generators of a monomial with their exponents."""
        found, k = [], 0
        Meter.spend(len(self.names))
        while m:
            if m & EXPONENT:
                found.append((k, m & EXPONENT))
            m, k = m >> EXPONENT_BITS, k + 1
        return found

    def occurring(self, p: Poly) -> list[int]:
        """Return the generators of a polynomial."""
        used = 0
        Meter.spend(p.cells)
        for m in p.terms:
            used |= m
        return [k for k, _ in self.factors(used)]

    def uses(self, p: Poly) -> set[str]:
        """Return the names of all symbols in p, also of those inside sines, roots and inverses."""
        return set().union(*(self.depends[k] for k in self.occurring(p)))

    def sign(self, p: Poly) -> int:
        """Return 2 if its terms show that p > 0, 1 if they show p ≥ 0, 0 if they show neither.

        A term shows it by a positive coefficient and even powers, or factors that are positive.
        """
        best = 1
        for m, c in p.terms.items():
            others = [e for k, e in self.factors(m) if not self.above[k]]
            if c < 0 or any(e % 2 for e in others):
                return 0
            best = best if others else 2
        return best

    def text(self, p: Poly) -> str:
        """Return p as a sum of terms, in an order that depends on nothing but p."""

        def product(m):
            factors = sorted((self.names[k], e) for k, e in self.factors(m))
            return " ".join(name + (f"^{e}" if e > 1 else "") for name, e in factors)

        result = ""
        for name, c in sorted((product(m), c) for m, c in p.terms.items()):
            size = decimal(abs(Fraction(c, p.den)))
            term = name if name and size == "1" else f"{size} {name}".strip()
            sign = "-" if c < 0 else "+"
            result += f" {sign} {term}" if result else term if c > 0 else f"-{term}"
        return result or "0"

    def label(self, p: Poly) -> str:
        """Return p itself or, where that is long, a digest; `definitions` says of what."""
        text = self.text(p)
        return text if len(text) <= 80 else "#" + hashlib.sha256(text.encode()).hexdigest()[:12]


def decimal(x: Fraction) -> str:
    """Return a positive number as a person writes it: 1/8, 2/3, but 0.096 for 12/125."""
    for places in range(1, 31):
        if x.denominator > 16 and 10**places % x.denominator == 0:
            digits = str(x.numerator * 10**places // x.denominator).rjust(places + 1, "0")
            return f"{digits[:-places]}.{digits[-places:]}"
    return str(x)


class Derivative:
    """The derivative with given slopes of symbols, by the chain rule; other symbols are constant.

    ``unknown`` are symbols whose slope nobody knows: they must not occur.
    """

    def __init__(self, ring: Ring, slopes: dict, unknown=()) -> None:
        self.ring = ring
        self.slopes = {ring.place[name]: p for name, p in slopes.items()}
        self.unknown = {ring.place[name] for name in unknown}

    def __call__(self, p: Poly) -> Poly:
        found = []
        for k in self.ring.occurring(p):
            slope = self.slope(k)
            if slope.terms:
                # ∂p/∂g · dg
                Meter.spend(p.cells)
                shift, part = EXPONENT_BITS * k, {}
                for m, c in p.terms.items():
                    if m >> shift & EXPONENT:
                        part[m - (1 << shift)] = c * (m >> shift & EXPONENT)
                found.append(p.like(part) * slope)
        return total(found)

    def slope(self, k: int) -> Poly:
        """Return the derivative of generator k."""
        ring = self.ring
        if k in self.unknown:
            raise Refused(f"the derivative of {ring.names[k]} is not known")
        if k not in self.slopes:
            inside = ZERO if ring.inner[k] is None else self(ring.inner[k])
            if inside.terms and k not in ring.rules:
                raise Refused(f"{ring.names[k]} has a kink or a jump: it has no derivative")
            self.slopes[k] = ring.rules[k][1] * inside if inside.terms else ZERO
        return self.slopes[k]


# ---- one state, in intervals


class State:
    """Enclosures (low, high) of polynomials at a rational state, rounded outward."""

    GRAIN = 1 << 200
    PI = Fraction(314159265358979323846, 10**20), Fraction(314159265358979323847, 10**20)

    def __init__(self, ring: Ring, values: dict) -> None:
        self.ring, self.known = ring, {}
        for name, text in values.items():
            x = number(text)
            self.known[ring.place[name]] = x, x
        self.known[ring.place["pi"]] = self.PI

    def outward(self, low, high):
        grain = self.GRAIN
        if max(-low, high) > grain**10:
            raise Refused("a number is too large at the state")
        return Fraction(low * grain // 1, grain), -Fraction(-high * grain // 1, grain)

    def of(self, p: Poly):
        """Return an interval that contains the value of p."""
        low = high = Fraction(0)
        for m, c in p.terms.items():
            a = b = Fraction(c, p.den)
            for k, e in self.ring.factors(m):
                x, y = self.generator(k)
                Meter.spend(100 * e)
                for _ in range(e):
                    corners = a * x, a * y, b * x, b * y
                    a, b = self.outward(min(corners), max(corners))
            low, high = low + a, high + b
        return low, high

    def generator(self, k: int):
        if k not in self.known:
            kind = self.ring.kinds[k]
            if kind == "symbol":
                raise Refused(f"the state has no value of {self.ring.names[k]}")
            low, high = self.of(self.ring.inner[k])
            if kind == "inverse" and (low > 0 or high < 0):
                value = 1 / high, 1 / low
            elif kind == "root" and low > 0:
                # the floor of √low and the ceiling of √high, in units of 2^-100
                above = isqrt(int(high * 4**100) + 1) + 1
                value = Fraction(isqrt(int(low * 4**100)), 2**100), Fraction(above, 2**100)
            elif kind in ("cos", "sin") and -8 < low <= high < 8:
                value = self.sine(kind, low, high)
            elif kind == "tanh" and -4 < low <= high < 4:
                # it grows
                value = self.tanh(low)[0], self.tanh(high)[1]
            elif kind == "abs":
                value = max(low, -high, Fraction(0)), max(-low, high)
            else:
                raise Refused(f"{self.ring.names[k]} may have no value at the state")
            self.known[k] = self.outward(*value)
        return self.known[k]

    @staticmethod
    def sine(kind: str, low, high):
        """Taylor's series at the middle; the next term, 8^61/61! < 2^-90, bounds what is left."""
        x, term, value = (low + high) / 2, Fraction(1), Fraction(0)
        for n in range(61):
            if n % 2 == (kind == "sin"):
                value += term * (-1) ** (n // 2)
            term = term * x / (n + 1)
        slack = (high - low) / 2 + Fraction(1, 2**80)
        return value - slack, value + slack

    @staticmethod
    def tanh(x):
        """1 - 2/(exp + 1), exp = e^2x by Taylor's series; the rest is below 2 · 8^61/61!."""
        sign, x = (1 if x > 0 else -1), 2 * abs(x)
        term, exp = Fraction(1), Fraction(0)
        for n in range(61):
            exp += term
            term = term * x / (n + 1)
        value, slack = sign * (1 - 2 / (exp + 1)), Fraction(1, 2**80)
        return value - slack, value + slack


# ---- programs


def number(text) -> Fraction:
    if type(text) is not str or not NUMBER.fullmatch(text):
        raise Refused(f"not a number: {str(text)[:40]!a}")
    return Fraction(text)


def item(i, values):
    if type(i) is not int or not 0 <= i < len(values):
        raise Refused("a step or a part refers to no earlier step")
    return values[i]


# the number of operands; of a sum any
OPERANDS = {
    **dict.fromkeys(("num", "sym", "neg", "inv", "sqrt", *FUNCTIONS), 1),
    **dict.fromkeys(("sub", "mul", "pow", "cos", "sin"), 2),
}


def run(ring: Ring, program: list) -> list[Poly]:
    """Return the polynomial of every step."""
    values: list[Poly] = []
    for op, *args in program:
        if op == "sum":
            values.append(total(item(i, values) for i in args))
            continue
        if len(args) != OPERANDS.get(op):
            raise Refused(f"not a step: {str(op)[:40]!a} with {len(args)} operands")
        x: Any = args[0] if op in ("num", "sym") else item(args[0], values)
        if op == "num":
            value = ONE.times(number(x))
        elif op == "sym":
            value = ring.symbol(x)
        elif op == "neg":
            value = -x
        elif op == "sub":
            value = x - item(args[1], values)
        elif op == "mul":
            value = x * item(args[1], values)
        elif op == "pow":
            if type(args[1]) is not int or not 0 <= args[1] <= MAX_POWER:
                raise Refused(f"a power is not between 0 and {MAX_POWER}")
            value = x ** args[1]
        elif op in ("cos", "sin"):
            value = sine(ring, op, x, [(item(i, values), n) for i, n in args[1]])
        else:
            value = ring.once({"inv": "inverse", "sqrt": "root"}.get(op) or op, x)
        values.append(value)
    return values


def sine(ring: Ring, op: str, x: Poly, parts: list) -> Poly:
    """Return cos or sin of x = Σ n u by the addition theorems, for the ``parts`` (u, n)."""
    c, s, argument = ONE, ZERO, ZERO
    for u, n in parts:
        if type(n) is not int or not 0 < abs(n) <= MAX_POWER:
            raise Refused(f"a multiple of an angle is not between 1 and {MAX_POWER}")
        argument = argument + u.times(n)
        cu, su = ring.once("angle", u)
        su = su if n > 0 else -su
        for _ in range(abs(n)):
            c, s = c * cu - s * su, s * cu + c * su
    if not ring.is_zero(argument - x):
        raise Refused("an angle is not the sum that it is said to be")
    return c if op == "cos" else s


# ---- bodies


class Body:
    """A body in motion: p and L are its momentum, force and torque their rates less gravity's.

    v is the velocity of its point of reference and ω (``w``) its angular velocity. ``fall`` is
    m gᵀr of its centre of mass r: its potential energy is -fall. ``shown`` is what was described.
    """

    axes: Any = ()  # of a spatial body: the columns of its rotation,
    inertia: Any = ()  # its tensor about the origin,
    g: Any = None  # gravity in its axes,
    depth = ZERO  # and gᵀ · position of its origin

    def __init__(self, v, w, p, L, force, torque, fall: Poly, shown: dict) -> None:
        self.v, self.w, self.p, self.L = v, w, p, L
        self.force, self.torque, self.fall, self.shown = force, torque, fall, shown


def flat_body(given: dict, read: Certificate) -> Body:
    """Read a particle, or a body that turns by an angle: its centre of mass in fixed axes."""
    keys(given, ["mass", "position"], ["inertia", "angle"])
    m, r, ddt = read.constant(given["mass"]), read.part(given["position"], None), read.ddt
    g = read.gravity or [ZERO for _ in r]
    if ("angle" in given) != ("inertia" in given):
        raise Refused("an angle without an inertia, or an inertia without an angle")
    v = [ddt(x) for x in r]
    p, w, L = scaled(m, v), [], []
    shown = {"mass": [m], "centre of mass": r}
    if "angle" in given:
        angle, inertia = read.part(given["angle"]), read.constant(given["inertia"])
        w = [ddt(angle)]
        L = scaled(inertia, w)
        shown.update({"moment of inertia": [inertia], "turned by": [angle]})
    force = [ddt(x) - m * u for x, u in pairs(p, g)]
    return Body(v, w, p, L, force, [ddt(x) for x in L], m * dot(g, r), shown)


def spatial_body(given: dict, read: Certificate) -> Body:
    """Read a body on another one, ``parent``, or on the world, -1; vectors are in its own axes.

    The origin of its frame is at x in the parent's frame, the columns of R are its axes:

        v = Rᵀ(v' + ω' × x + ẋ), ω = Rᵀω' + vee(RᵀṘ), g = Rᵀg'

    With the first moment h = m c and I about the origin its momentum is p = m v + ω × h,
    L = I ω + h × v. In moving axes dp/dt = ṗ + ω × p, dL/dt = L̇ + ω × L + v × p.
    """
    about = [x for x in ("center", "moment") if x in given]
    keys(given, ["parent", "origin", "rotation", "mass", "inertia", *about])
    m, I, ddt = read.constant(given["mass"]), read.constant(given["inertia"], 3, 3), read.ddt
    x, R = read.part(given["origin"], 3), read.part(given["rotation"], 3, 3)
    shown = {"mass": [m], "origin": x, "rotation": R}
    if about == ["center"]:
        c = read.constant(given["center"], 3)
        shown.update({"centre of mass": c, "inertia about it": I})
        # parallel axes: I + m (cᵀc 1 - c cᵀ)
        h = scaled(m, c)
        I = [[I[i][j] - h[i] * c[j] + (dot(h, c) if i == j else ZERO) for j in range(3)]
             for i in range(3)]  # fmt: skip
    else:
        h = read.constant(given["moment"], 3)
        shown.update({"first moment": h, "inertia about the origin": I})
    v, w, g, depth = [ZERO] * 3, [ZERO] * 3, read.gravity or [ZERO] * 3, ZERO
    if given["parent"] != -1:
        parent = item(given["parent"], read.bodies)
        v, w, g, depth = parent.v, parent.w, parent.g, parent.depth
        if g is None:
            raise Refused("a spatial body on a flat one")

    axes = list(zip(*R))
    rates = [[ddt(u) for u in axis] for axis in axes]
    depth = depth + dot(g, x)
    # RᵀṘ is skew: its entries (2, 1), (0, 2), (1, 0) are the angular velocity of R
    spin = [dot(axes[i], rates[j]) for i, j in ((2, 1), (0, 2), (1, 0))]
    moved = plus(v, cross(w, x), [ddt(u) for u in x])
    v, g = [dot(axis, moved) for axis in axes], [dot(axis, g) for axis in axes]
    w = plus([dot(axis, w) for axis in axes], spin)
    p = plus(scaled(m, v), cross(w, h))
    L = plus([dot(row, w) for row in I], cross(h, v))
    force = plus([ddt(u) for u in p], cross(w, p), [-(m * u) for u in g])
    torque = plus([ddt(u) for u in L], cross(w, L), cross(v, p), cross(g, h))
    body = Body(v, w, p, L, force, torque, m * depth + dot(g, h), shown)
    body.axes, body.inertia, body.g, body.depth = axes, I, g, depth
    return body


# ---- the certificate

NAMES = ("coordinates", "parameters", "inputs", "multipliers", "positive")
ENERGIES = ("kinetic", "potential", "bodies", "rotors", "gravity")
FORCES = ("dissipation", "forces", "constraints", "velocity_constraints")
EQUATIONS = ("T", "V", "M", "C", "N", "forces", "a", "A", "Ad", "drift", "drift_rate")
# parts of the claims that only these claims look at
WITNESSES = {
    "linear_in_parameters": ("Y", "theta"),
    "mass_matrix_is_nonnegative": ("squares",),
    "mass_matrix_is_positive": ("squares", "standing"),
}
# what code may compute, and the names of its results
CODE = {
    "mass_matrix": ("M",),  # M
    "inverse_dynamics": ("tau",),  # M q̈ + C q̇ + N
    "inverse_dynamics_with_friction": ("tau",),  # the same less the terms of Υ without inputs
    "forward_dynamics": ("qdd", "lam"),  # q̈, λ that solve M q̈ + C q̇ + N = Υ + Aᵀλ and ä = 0
}
CLAIMS = (
    *("energies", "lagranges_equations", "newton_euler", "constraints"),
    *("mass_matrix_is_symmetric", "mass_matrix_is_hessian"),
    *("mass_matrix_is_nonnegative", "mass_matrix_is_positive"),
    *("rate_minus_twice_coriolis_is_skew", "coriolis_in_three_forms"),
    *("energy_balance", "jacobi_balance", "linear_in_parameters", "code_computes_the_equations"),
)


def keys(data, required, optional=()) -> None:
    """Refuse a dict with other keys: what nobody reads could mislead whoever does."""
    if type(data) is not dict or not set(required) <= set(data) <= {*required, *optional}:
        raise Refused(f"expected the keys {', '.join(sorted(required))}")


class Certificate:
    """A certificate, its programs run. The method of each claim yields what must be zero."""

    function = ""  # of the code that is being checked

    def __init__(self, data: dict[str, Any]) -> None:
        keys(data, ["format", "name", *NAMES, "state", "description", "claimed", "code", "claims"])
        self.data, self.described, self.claimed = data, data["description"], data["claimed"]
        self.code = data["code"]
        self._read_names()
        self._read_claims()
        ring = self.ring
        # derivatives: by one coordinate, by one velocity, in time
        self.dq = [Derivative(ring, {x: ONE}) for x in self.q]
        self.dv = [Derivative(ring, {x: ONE}) for x in self.v]
        self.qd, self.qdd = ([ring.symbol(x) for x in names] for names in (self.v, self.a))
        flow = {"t": ONE, **dict(zip(self.q, self.qd)), **dict(zip(self.v, self.qdd))}
        self.ddt = Derivative(ring, flow, [*self.a, *self.inputs, *self.multipliers])
        self.partial_t = Derivative(ring, {"t": ONE})
        # the description, then the equations
        self.values = run(ring, self.described["program"])
        self._read_description()
        self.num_described = len(ring.names)
        self.values = run(ring, self.claimed["program"])
        self.num_claimed = len(ring.names)
        self._read_equations()

    def _read_names(self) -> None:
        data = self.data
        if data["format"] != FORMAT:
            raise Refused(f"expected the format {FORMAT}")
        if type(data["name"]) is not str or not TITLE.fullmatch(data["name"]):
            raise Refused("expected a title of plain letters, digits and spaces")
        for part in (*NAMES, "claims"):
            if type(data[part]) is not list or any(type(x) is not str for x in data[part]):
                raise Refused(f"expected a list of names for {part}")
        names = [data[part] for part in NAMES]
        self.q, self.parameters, self.inputs, self.multipliers, self.positive = names
        for name in (x for part in NAMES for x in data[part]):
            if not NAME.fullmatch(name) or name in RESERVED:
                raise Refused(f"not a name: {name[:40]!a}")
        if not self.q or not set(self.positive) <= set(self.parameters):
            raise Refused("no coordinates, or something else than parameters is positive")
        self.v, self.a = [x + ".dot" for x in self.q], [x + ".ddot" for x in self.q]
        others = [*self.parameters, *self.inputs, *self.multipliers]
        self.ring = Ring([*self.q, *self.v, *self.a, "t", *others], self.positive)
        self.n, self.m = range(len(self.q)), len(self.multipliers)

    def _read_claims(self) -> None:
        """Refuse parts that belong to no claim: nobody would look at them."""
        claims = set(self.data["claims"])
        if len(claims) < len(self.data["claims"]) or not claims <= set(CLAIMS):
            raise Refused("a claim that is unknown or made twice")
        needed = {"energies", "lagranges_equations"} | ({"constraints"} if self.m else set())
        if not needed <= claims or ("constraints" in claims and not self.m):
            raise Refused("expected claims about energies, Lagrange's equations and constraints")
        if bool(self.code) != ("code_computes_the_equations" in claims):
            raise Refused("code that nothing is claimed about, or a claim about no code")
        self.is_bare = "lagrangian" in self.described
        keys(self.described, ["program", *FORCES, *(["lagrangian"] if self.is_bare else ENERGIES)])
        witnesses = {part for claim in claims for part in WITNESSES.get(claim, ())}
        keys(self.claimed, ["program", *EQUATIONS, *witnesses])

    def part(self, part, *shape) -> Any:
        """Return an array of steps as polynomials; a length of None may be any."""
        if not shape:
            return item(part, self.values)
        if type(part) is not list or (shape[0] is not None and len(part) != shape[0]):
            raise Refused("a part has another shape")
        return [self.part(x, *shape[1:]) for x in part]

    def constant(self, part, *shape) -> Any:
        """Return a part that depends on parameters alone, as mass and inertia must."""
        found: Any = self.part(part, *shape)
        entries: Any = found
        for _ in shape[1:]:
            entries = [x for row in entries for x in row]
        for x in entries if shape else [entries]:
            if self.ring.uses(x) - {*self.parameters, "pi"}:
                raise Refused("a mass or an inertia that is not constant")
        return found

    def _read_description(self) -> None:
        """Read the description; T and V are sums over bodies, rotors and other energies."""
        given, n = self.described, len(self.n)
        self.R, self.applied = self.part(given["dissipation"]), self.part(given["forces"], n)
        self.holonomic = self.part(given["constraints"], None)
        self.pfaffian = self.part(given["velocity_constraints"], None)
        if len(self.holonomic) + len(self.pfaffian) != self.m:
            raise Refused("there is not one multiplier for each constraint")
        self.bodies: list[Body] = []
        if self.is_bare:
            self.L = self.part(given["lagrangian"])
            return
        self.other_T, self.other_V = self.part(given["kinetic"]), self.part(given["potential"])
        self.rotors = self.part(given["rotors"], n if given["rotors"] else 0)
        self.gravity = self.part(given["gravity"], None)
        for body in given["bodies"]:
            make = flat_body if "position" in body else spatial_body
            self.bodies.append(make(body, self))
        # 2T = Σ vᵀp + ωᵀL + rotors, V = -Σ m gᵀr
        twice_T = [dot(b.v, b.p) + dot(b.w, b.L) for b in self.bodies]
        twice_T += [J * x * x for J, x in zip(self.rotors, self.qd)]
        self.described_T = total([*twice_T, self.other_T.times(2)]).times(Fraction(1, 2))
        self.described_V = self.other_V - total(b.fall for b in self.bodies)
        self.L = self.described_T - self.described_V

    def _read_equations(self) -> None:
        given, n, m = self.claimed, len(self.n), self.m
        self.T, self.V = self.part(given["T"]), self.part(given["V"])
        self.M, self.C = self.part(given["M"], n, n), self.part(given["C"], n, n)
        self.N, self.forces = self.part(given["N"], n), self.part(given["forces"], n)
        self.held = self.part(given["a"], len(self.holonomic))
        self.A, self.Ad = self.part(given["A"], m, n), self.part(given["Ad"], m, n)
        self.b, self.bd = self.part(given["drift"], m), self.part(given["drift_rate"], m)
        # q̈ and λ stand outside M, C, N, A, and q̇ outside A and b: else M = 0 would do
        outside = {*self.a, *self.multipliers}
        parts = [self.L, self.R, self.T, self.V, *self.N, *self.forces]
        parts += [x for row in [*self.M, *self.C] for x in row]
        if any(self.ring.uses(x) & outside for x in parts):
            raise Refused("an acceleration or a multiplier inside the equations")
        parts = [*self.b, *self.holonomic, *(x for row in self.A for x in row)]
        if any(self.ring.uses(x) & {*outside, *self.v} for x in parts):
            raise Refused("a velocity inside the constraints")

    # ---- the claims

    def left(self) -> list[Poly]:
        """M q̈ + C q̇ + N."""
        return [dot(self.M[k], self.qdd) + dot(self.C[k], self.qd) + self.N[k] for k in self.n]

    def momenta(self) -> list[Poly]:
        """∂L/∂q̇."""
        return [d(self.L) for d in self.dv]

    def energies(self):
        """T and V are those of the description; the axes of its bodies are orthonormal."""
        for b in self.bodies:
            for i, x in enumerate(b.axes):
                # RᵀR = 1, each axis is the product of the next two, I = Iᵀ
                yield from (dot(x, y) - (ONE if i == j else ZERO) for j, y in enumerate(b.axes))
                yield from (u - w for u, w in zip(cross(b.axes[i - 2], b.axes[i - 1]), x))
                yield from (b.inertia[i][j] - b.inertia[j][i] for j in range(i))
        if not self.is_bare:
            yield self.T - self.described_T
            yield self.V - self.described_V
            return
        # of L alone: T is its part of second degree in q̇, and T + V = q̇ᵀ∂L/∂q̇ - L
        yield dot([d(self.T) for d in self.dv], self.qd) - self.T.times(2)
        yield from (d(self.V) for d in self.dv)
        yield self.T + self.V + self.L - dot(self.momenta(), self.qd)

    def lagranges_equations(self):
        """M q̈ + C q̇ + N = d/dt ∂L/∂q̇ - ∂L/∂q + ∂R/∂q̇, L = T - V; Υ is as described."""
        for k, (left, momentum) in enumerate(zip(self.left(), self.momenta())):
            yield left - self.ddt(momentum) + self.dq[k](self.L) - self.dv[k](self.R)
            yield self.forces[k] - self.applied[k]

    def newton_euler(self):
        """M q̈ + C q̇ + N = Σ (dp/dt - m g)·∂v/∂q̇ + (dL/dt - h × g)·∂ω/∂q̇, body by body."""
        if not self.bodies:
            raise Refused("there are no bodies")
        for k, left in enumerate(self.left()):
            d, other = self.dv[k], [self.ddt(self.dv[k](self.other_T)), -self.dq[k](self.other_T)]
            # what is not inertia of bodies: rotors, springs, dampers
            other += [self.dq[k](self.other_V), d(self.R)]
            other += [self.rotors[k] * self.qdd[k]] if self.rotors else []
            for b in self.bodies:
                other.append(dot(b.force, [d(x) for x in b.v]) + dot(b.torque, [d(x) for x in b.w]))
            yield left - total(other)

    def constraints(self):
        """ȧ = A q̇ + b for a(q) = 0, A q̇ + b = 0 for those of velocity; ä = A q̈ + Ȧ q̇ + ḃ."""
        yield from (x - y for x, y in pairs(self.held, self.holonomic))
        rates = [*map(self.ddt, self.holonomic), *self.pfaffian]
        for f, row, row_rate, b, b_rate in zip(rates, self.A, self.Ad, self.b, self.bd):
            yield f - dot(row, self.qd) - b
            yield from (self.dv[k](f) - row[k] for k in self.n)
            yield from (self.ddt(row[k]) - row_rate[k] for k in self.n)
            yield self.ddt(b) - b_rate
            yield self.ddt(f) - dot(row, self.qdd) - dot(row_rate, self.qd) - b_rate

    def mass_matrix_is_symmetric(self):
        """M = Mᵀ."""
        yield from (self.M[i][j] - self.M[j][i] for i in self.n for j in range(i))

    def mass_matrix_is_hessian(self):
        """M = ∂²L/∂q̇²."""
        for i, momentum in enumerate(self.momenta()):
            yield from (self.dv[j](momentum) - self.M[i][j] for j in self.n)

    def twice_kinetic(self) -> Poly:
        """q̇ᵀM q̇."""
        return dot([dot(row, self.qd) for row in self.M], self.qd)

    def mass_matrix_is_nonnegative(self):
        """M ⪰ 0: M = Mᵀ, and q̇ᵀM q̇ = Σ w f² with weights w whose terms show w ≥ 0."""
        moving = {*self.v, *self.a, *self.inputs, *self.multipliers}
        if any(self.ring.uses(x) & moving for row in self.M for x in row):
            raise Refused("M depends on more than q, t and parameters")
        squares = self.part(self.claimed["squares"], None, 2)
        if any(self.ring.sign(w) < 1 for w, _ in squares):
            raise Refused("a weight does not show its sign")
        yield from self.mass_matrix_is_symmetric()
        yield self.twice_kinetic() - total(w * f * f for w, f in squares)

    def mass_matrix_is_positive(self):
        """M ≻ 0: as M ⪰ 0, and where all f with w > 0 vanish, one q̇ after the other does."""
        yield from self.mass_matrix_is_nonnegative()
        squares, still = self.part(self.claimed["squares"], None, 2), []
        for k, factor, combination in self.claimed["standing"]:
            # u q̇ₖ - Σ a f with u > 0: every term of it has a q̇ that is known to vanish
            u = self.part(factor)
            rest = [u * item(k, self.qd)]
            for r, a in combination:
                weight, form = item(r, squares)
                if self.ring.sign(weight) < 2:
                    raise Refused("a form of no positive weight is used")
                rest.append(-(self.part(a) * form))
            known = sum(EXPONENT << EXPONENT_BITS * self.ring.place[self.v[j]] for j in still)
            if any(not m & known for m in self.ring.cleared(total(rest)).terms):
                raise Refused(f"{self.v[k]} may still move")
            if self.ring.sign(u) < 2:
                raise Refused("a factor does not show that it is positive")
            still.append(k)
        if sorted(still) != list(self.n):
            raise Refused("not every velocity is shown to vanish once")

    def slopes(self):
        """∂M[i][j]/∂q_k at [k][i][j]."""
        return [[[d(x) for x in row] for row in self.M] for d in self.dq]

    def rate_minus_twice_coriolis_is_skew(self):
        """Ṁ - 2C is skew-symmetric (Ṁ at fixed explicit time)."""
        d, n = self.slopes(), self.n
        rate = [[dot([d[k][i][j] for k in n], self.qd) for j in n] for i in n]
        for i in n:
            for j in range(i + 1):
                yield rate[i][j] + rate[j][i] - (self.C[i][j] + self.C[j][i]).times(2)

    def coriolis_in_three_forms(self):
        """2 C_kj = Σ (∂M_kj/∂q_i + ∂M_ki/∂q_j - ∂M_ij/∂q_k) q̇_i, the Christoffel symbols;
        C q̇ = Ṁ q̇ - ∂(q̇ᵀM q̇)/∂q / 2 = Ṁ q̇ - (∂vec M/∂q)ᵀ(q̇ ⊗ q̇) / 2."""
        d, n, twice_T = self.slopes(), self.n, self.twice_kinetic()
        for k in n:
            for j in n:
                symbols = [d[i][k][j] + d[j][k][i] - d[k][i][j] for i in n]
                yield dot(symbols, self.qd) - self.C[k][j].times(2)
            rate = dot([dot([d[i][k][j] for i in n], self.qd) for j in n], self.qd)
            twice = (rate - dot(self.C[k], self.qd)).times(2)
            yield twice - self.dq[k](twice_T)
            yield twice - dot([dot(row, self.qd) for row in d[k]], self.qd)

    def balance(self, h: Poly) -> Poly:
        """dh/dt - (q̇ᵀ(M q̈ + C q̇ + N) - q̇ᵀ∂R/∂q̇ - ∂L/∂t)."""
        work = [x - d(self.R) for x, d in zip(self.left(), self.dv)]
        return self.ddt(h) - dot(self.qd, work) + self.partial_t(self.L)

    def energy_balance(self):
        """d(T + V)/dt = q̇ᵀ(M q̈ + C q̇ + N) - q̇ᵀ∂R/∂q̇ - ∂L/∂t: the power of Υ + Aᵀλ less losses."""
        yield self.balance(self.T + self.V)

    def jacobi_balance(self):
        """dh/dt = q̇ᵀ(M q̈ + C q̇ + N) - q̇ᵀ∂R/∂q̇ - ∂L/∂t with Jacobi's h = q̇ᵀ∂L/∂q̇ - L."""
        yield self.balance(dot(self.momenta(), self.qd) - self.L)

    def linear_in_parameters(self):
        """M q̈ + C q̇ + N = Y Θ, no parameter in Y, nothing but parameters in Θ."""
        theta = self.part(self.claimed["theta"], None)
        Y = self.part(self.claimed["Y"], len(self.n), len(theta))
        if any(self.ring.uses(x) & set(self.parameters) for row in Y for x in row):
            raise Refused("a parameter in Y")
        if any(self.ring.uses(x) - {*self.parameters, "pi"} for x in theta):
            raise Refused("something else than parameters in Θ")
        yield from (dot(row, theta) - left for row, left in pairs(Y, self.left()))

    def code_computes_the_equations(self):
        """Code, run in exact arithmetic, computes what its name says:"""
        for code in self.code:
            keys(code, ["function", "program", *CODE.get(code.get("function"), ["known"])])
            self.function = code["function"]
            self.values = run(self.ring, code["program"])
            yield from getattr(self, "_" + self.function)(code)
        self.function = ""

    def _mass_matrix(self, code: dict):
        M = self.part(code["M"], len(self.n), len(self.n))
        yield from (M[i][j] - self.M[i][j] for i in self.n for j in self.n)

    def _inverse_dynamics(self, code: dict):
        yield from (x - y for x, y in pairs(self.part(code["tau"], None), self.left()))

    def _inverse_dynamics_with_friction(self, code: dict):
        tau, inputs = self.part(code["tau"], len(self.n)), set(self.inputs)
        for x, left, force in zip(tau, self.left(), self.forces):
            terms = [force.like({m: c}) for m, c in force.terms.items()]
            yield x - left + total(p for p in terms if not self.ring.uses(p) & inputs)

    def _forward_dynamics(self, code: dict):
        qdd, lam = self.part(code["qdd"], len(self.n)), self.part(code["lam"], self.m)
        for k in self.n:
            left = dot(self.M[k], qdd) + dot(self.C[k], self.qd) + self.N[k]
            yield left - self.forces[k] - dot([row[k] for row in self.A], lam)
        for row, row_rate, b_rate in zip(self.A, self.Ad, self.bd):
            yield dot(row, qdd) + dot(row_rate, self.qd) + b_rate

    def check_state(self) -> None:
        """Refuse a state where not all conditions hold together, or where nothing shows it."""
        values = self.data["state"]
        keys(values, [], self.ring.place)
        state = State(self.ring, values)
        positive = [(0, self.ring.symbol(x), ">") for x in self.positive]
        for _, p, relation in [*self.ring.conditions, *positive]:
            low, high = state.of(p)
            if low <= 0 and (relation == ">" or high >= 0):
                raise Refused(f"{self.ring.label(p)} {relation} 0 does not hold at the state")


# what malformed data can raise anywhere
MALFORMED = (
    *(KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError),
    *(RecursionError, MemoryError),
)


def check(data, work: int = MAX_WORK) -> tuple[Certificate, dict[str, int]]:
    """Return the certificate and the number of identities of each claim, or raise `Refused`."""
    Meter.work = work
    claim, counts, certificate = "", {}, None
    try:
        certificate = Certificate(data)
        for claim in sorted(data["claims"], key=CLAIMS.index):
            counts[claim] = 0
            for p in getattr(certificate, claim)():
                counts[claim] += 1
                if not certificate.ring.is_zero(p):
                    difference = certificate.ring.label(p)
                    raise Refused(f"identity {counts[claim]} of {claim} differs by {difference}")
        claim = "state"
        certificate.check_state()
        return certificate, counts
    except Refused as refusal:
        refusal.claim = (certificate and certificate.function) or claim
        raise
    except MALFORMED as error:
        refusal = Refused(f"malformed: {type(error).__name__} {str(error)[:100]!a}")
        refusal.claim = claim
        raise refusal from error


def read(raw: bytes):
    """Return JSON as data: no key twice, no number but whole ones of few digits."""

    def once(items):
        if len(dict(items)) < len(items):
            raise Refused("a key is given twice")
        return dict(items)

    def whole(text):
        if len(text) > 9:
            raise Refused("a whole number with too many digits")
        return int(text)

    def never(text):
        raise Refused(f"not a whole number: {text[:40]}")

    if len(raw) > MAX_FILE_BYTES:
        raise Refused(f"more than {MAX_FILE_BYTES} bytes")
    hooks = {"object_pairs_hook": once, "parse_int": whole, "parse_float": never}
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=never, **hooks)
    except (ValueError, RecursionError) as error:
        raise Refused(f"not JSON: {str(error)[:100]!a}") from error


# ---- text


def described(certificate: Certificate) -> list[str]:
    """Return the description line by line: what a person compares with the mechanism meant."""
    text, data = certificate.ring.text, certificate.data

    def vector(x):
        return text(x[0]) if len(x) == 1 else f"({', '.join(map(text, x))})"

    lines = [f"{part}: {', '.join(data[part]) or 'none'}" for part in NAMES[:4]]
    found = []
    if certificate.is_bare:
        found.append(("Lagrangian", certificate.L))
    else:
        if certificate.gravity:
            lines.append(f"gravity {vector(certificate.gravity)}")
        for k, body in enumerate(certificate.bodies):
            parent = certificate.described["bodies"][k].get("parent", -1)
            lines.append(f"body {k}" + (f" on body {parent}" if parent >= 0 else ""))
            for name, x in body.shown.items():
                rows = x if type(x[0]) is list else [x]
                lines.append(f"    {name} " + "; ".join(map(vector, rows)))
        other = "other " if certificate.bodies else ""
        found += [(f"rotor at {x}", J) for x, J in zip(certificate.q, certificate.rotors)]
        found.append((f"{other}kinetic energy", certificate.other_T))
        found.append((f"{other}potential energy", certificate.other_V))
    found.append(("dissipation", certificate.R))
    found += [(f"force on {x}", f) for x, f in zip(certificate.q, certificate.applied)]
    lines += [f"{name} {text(p)}" for name, p in found if p.terms]
    lines += [f"constraint 0 = {text(p)}" for p in certificate.holonomic]
    lines += [f"velocity constraint 0 = {text(p)}" for p in certificate.pfaffian]
    where = conditions(certificate.ring, 0, certificate.num_described)
    lines.append(f"defined where {where}" if where else "defined everywhere")
    return lines + definitions(certificate.ring, 0, certificate.num_described)


def definitions(ring: Ring, first: int, last: int) -> list[str]:
    """Return what the digests mean that stand in names too long to print."""
    long = [k for k in range(first, last) if "#" in ring.names[k]]
    return [f"{ring.names[k]} is {ring.kinds[k]} of {ring.text(ring.inner[k])}" for k in long]


def conditions(ring: Ring, first: int, last: int) -> str:
    """Return where the generators of these numbers are defined."""
    found = [f"{ring.label(p)} {sign} 0" for k, p, sign in ring.conditions if first <= k < last]
    return ", ".join(found)


def fingerprint(certificate: Certificate) -> str:
    """Return the SHA-256 of the printed description, whatever its program looks like."""
    return hashlib.sha256("\n".join(described(certificate)).encode()).hexdigest()


def equations(certificate: Certificate) -> list[str]:
    """Return the claimed equations line by line."""
    text, lines = certificate.ring.text, []
    for name in ("T", "V", "M", "C", "N", "A", "Ad"):
        part = getattr(certificate, name)
        if type(part) is Poly:
            lines.append(f"{name} = {text(part)}")
            continue
        for i, row in enumerate(part):
            if type(row) is Poly:
                lines.append(f"{name}[{i}] = {text(row)}")
            else:
                lines += [f"{name}[{i}, {j}] = {text(x)}" for j, x in enumerate(row)]
    return lines


def alike(names: list[str]) -> list[str]:
    """Return names that other names are easily taken for, as l and I."""
    seen: dict[str, str] = {}
    found = []
    for name in names:
        shape = re.sub("[l1I]", "1", re.sub("[O0o]", "0", name))
        first = seen.setdefault(shape.replace("rn", "m").replace("vv", "w"), name)
        found += [f"{first} and {name}"] if first != name else []
    return found


def report(certificate: Certificate, counts: dict, is_long: bool) -> None:
    """Print what was described, where it is defined, and what holds."""
    data, ring = certificate.data, certificate.ring
    num, claimed, last = certificate.num_described, certificate.num_claimed, len(ring.names)
    lines = described(certificate)
    for what, more in (("claims", (num, claimed)), ("code", (claimed, last))):
        where = conditions(ring, *more)
        lines += [f"{what} defined where, besides, {where}"] if where else []
    for names in alike([x for part in NAMES[:4] for x in data[part]]):
        lines.append(f"take care: the names {names} look alike")
    print(f"Description {fingerprint(certificate)}", *lines, sep="\n    ")
    if is_long:
        lines = [*equations(certificate), *definitions(ring, num, last)]
        print("Equations", *lines, sep="\n    ")
    print("Proved: M q̈ + C q̇ + N = Υ" + (" + Aᵀλ" if certificate.m else ""))
    for name, count in counts.items():
        statement = " ".join(str(getattr(certificate, name).__doc__).split())
        if name == "code_computes_the_equations":
            statement += " " + ", ".join(code["function"] for code in certificate.code)
        if data["positive"] and name in ("mass_matrix_is_nonnegative", "mass_matrix_is_positive"):
            statement += " Where " + ", ".join(f"{x} > 0" for x in data["positive"]) + "."
        print(f"    {name.replace('_', ' ')} [{count}]: {statement}")
    missing = [name.replace("_", " ") for name in CLAIMS if name not in counts]
    print("Not claimed:", ", ".join(missing))


def main(arguments: list[str]) -> int:
    flags = {x for x in arguments if x.startswith("--")}
    files = [x for x in arguments if not x.startswith("--")]
    if len(files) != 1 or not flags <= {"--equations", "--quiet"}:
        print(str(__doc__).split("\n\n")[1])
        return 2
    try:
        with open(files[0], "rb") as file:
            data = read(file.read(MAX_FILE_BYTES + 1))
        certificate, counts = check(data)
        Meter.work = MAX_WORK
        if "--quiet" not in flags:
            report(certificate, counts, "--equations" in flags)
    except OSError as error:
        print(f"cannot read {files[0]}: {error.strerror}")
        return 2
    except Refused as refusal:
        print("REFUSED:", refusal)
        return 1
    print(f"{data['name']}: {len(counts)} claims, {sum(counts.values())} identities, all hold")
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
