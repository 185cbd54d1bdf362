"""Angles as sums: a sine in a certificate says of which whole multiples its argument consists.

The checker knows cos u and sin u of a few units u and adds angles by the addition theorems. Here
the arguments of all sines of some programs are read as Σ c · monomial with rational c, and for
each monomial the largest unit is found of which all its c are whole multiples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from dalembert.kernel.program import program as programs
from dalembert.kernel.program.program import Program, value_text

Atom: TypeAlias = str
"""The name of a symbol, or a digest of another instruction that is no sum or product."""
Monomial: TypeAlias = tuple[Atom, ...]
"""A product of atoms, in order; () is the constant 1."""
Form: TypeAlias = dict[Monomial, Fraction]
"""Σ coefficient · monomial."""
Units: TypeAlias = Mapping[Monomial, Fraction]
Names: TypeAlias = Mapping[tuple[int, int], str | None]
"""The symbol behind each input of a program, by port and place; None stands for zero."""

SINES = ("sin", "cos", "sincos", "tan")


class Forms:
    """The instructions of a program as sums of monomials; each is read when it is asked for."""

    def __init__(self, program: Program, names: Names) -> None:
        self.program, self.names = program, names
        self.instruction_of: dict[Atom, int] = {}
        self._known: dict[int, Form] = {}

    def arguments(self) -> Iterable[Form]:
        """Yield the arguments of all sines."""
        return (self.of(args[0]) for op, args, _ in self.program.code if op in SINES)

    def of(self, i: int) -> Form:
        """Return an instruction as a sum of monomials."""
        stack = [i]
        while stack:
            k = stack[-1]
            op, args, _ = self.program.code[k]
            missing = [a for a in args if a not in self._known] if op in _LINEAR else []
            if k in self._known or not missing:
                stack.pop()
                self._known.setdefault(k, self._form(k))
            else:
                stack += missing
        return self._known[i]

    def _form(self, i: int) -> Form:
        op, args, value = self.program.code[i]
        forms = [self._known[a] for a in args] if op in _LINEAR else []
        match op:
            case "input" if self.names[value] is None:
                return {}
            case "const" if value != programs.PI:
                return {(): Fraction(value)} if value else {}
            case "add":
                return _plus(forms[0], forms[1])
            case "sub":
                return _plus(forms[0], forms[1], -1)
            case "neg":
                return _plus({}, forms[0], -1)
            case "mul":
                return _times(forms[0], forms[1])
            case "fma":
                return _plus(_times(forms[0], forms[1]), forms[2])
            case "fms":
                return _plus(_times(forms[0], forms[1]), forms[2], -1)
            case "fnma":
                return _plus(forms[2], _times(forms[0], forms[1]), -1)
            case "div" if set(forms[1]) == {()}:
                return _times(forms[0], {(): 1 / forms[1][()]})
        atom = self._atom(i)
        self.instruction_of.setdefault(atom, i)
        return {(atom,): Fraction(1)}

    def _atom(self, i: int) -> Atom:
        op, args, value = self.program.code[i]
        if op == "input":
            return str(self.names[value])
        if op == "const":
            return "pi"
        # other instructions by their text: equal ones of two programs share a unit
        inner = " ".join(_text(self.of(a)) for a in args)
        return f"{op}[{'' if value is None else value_text(value)}]({inner})"


_LINEAR = {"const", "add", "sub", "neg", "mul", "fma", "fms", "fnma", "div"}


def _plus(a: Form, b: Form, sign: int = 1) -> Form:
    total = dict(a)
    for m, c in b.items():
        total[m] = total.get(m, Fraction(0)) + sign * c
    return {m: c for m, c in total.items() if c}


def _times(a: Form, b: Form) -> Form:
    total: Form = {}
    for m, c in a.items():
        for n, d in b.items():
            key = tuple(sorted(m + n))
            total[key] = total.get(key, Fraction(0)) + c * d
    return {m: c for m, c in total.items() if c}


def _text(form: Form) -> str:
    return " + ".join(f"{c} {' '.join(m)}" for m, c in sorted(form.items()))


def units_of(arguments: Iterable[Form]) -> dict[Monomial, Fraction]:
    """Return for each monomial the largest number of which all its coefficients are multiples.

    >>> units_of([{("q",): Fraction(1, 2)}, {("q",): Fraction(1, 3)}])
    {('q',): Fraction(1, 6)}
    """
    units: dict[Monomial, Fraction] = {}
    for form in arguments:
        for m, c in form.items():
            old = units.get(m, Fraction(0))
            d = lcm(old.denominator, c.denominator)
            units[m] = Fraction(gcd(int(old * d), int(c * d)), d)
    return units


def multiples(monomial: Monomial, c: Fraction, units: Units) -> list[tuple[Fraction, int]]:
    """Return units with whole multiples that add up to c.

    The checker knows the sines of π/6 and π/4: these make up every twelfth.

    >>> multiples(("pi",), Fraction(5, 12), {})
    [(Fraction(1, 6), 1), (Fraction(1, 4), 1)]
    """
    if monomial == ("pi",) and (12 * c).denominator == 1:
        quarters = int(12 * c) % 2
        sixths = (int(12 * c) - 3 * quarters) // 2
        return [(u, n) for u, n in ((Fraction(1, 6), sixths), (Fraction(1, 4), quarters)) if n]
    unit = units[monomial]
    return [(unit, int(c / unit))]
