"""Numbers of a prime field that know how they were added up, as far as angles and signs need it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

Form = dict[Any, Fraction]
"""Σ coefficient · term: a symbol, 1, π, or ("value", number of the field)."""

Residue = tuple[Any, ...]
"""A number of the field, and how it was computed: (number, "rational", value), (number, "term",
symbol or π), (number, "sum" or "difference", a, b), (number, "multiple", rational, a), else
(number, "value"). A tuple, since every operation makes one."""


def linear_form(x: Residue) -> Form:
    """Return a number as a sum of multiples of terms; what is no sum is a term by its value.

    A number that several sums share is looked at once.
    """
    forms: dict[int, Form] = {}
    stack = [x]
    while stack:
        at = stack[-1]
        open_parts = [a for a in _parts(at) if id(a) not in forms]
        if open_parts:
            stack += open_parts
        else:
            forms[id(at)] = _form(at, forms)
            stack.pop()
    return forms[id(x)]


def _parts(x: Residue) -> tuple[Residue, ...]:
    """Return the numbers that one is a sum or multiple of."""
    match x[1]:
        case "sum" | "difference":
            return x[2:]
        case "multiple":
            return x[3:]
        case _:
            return ()


def _form(x: Residue, forms: dict[int, Form]) -> Form:
    match x:
        case _, "rational", value:
            return {1: value} if value else {}
        case _, "term", name:
            return {name: Fraction(1)}
        case _, "multiple", k, a:
            return {term: k * c for term, c in forms[id(a)].items() if k}
        case _, ("sum" | "difference") as kind, a, b:
            total = dict(forms[id(a)])
            for term, c in forms[id(b)].items():
                total[term] = total.get(term, Fraction(0)) + (c if kind == "sum" else -c)
            return {term: c for term, c in total.items() if c}
        case _:
            return {("value", x[0]): Fraction(1)}
