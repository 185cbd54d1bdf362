"""Common factors are taken out of sums."""

from __future__ import annotations

from collections import Counter

from dalembert.kernel.program.program import Instruction, Program
from dalembert.kernel.program.sums import count_uses, flatten

Product = tuple[list[int], bool]
"""Factors, and whether their product is subtracted."""


def factor(program: Program) -> Program:
    """Return the program with x·a ± x·b as x·(a ± b).

    Where a or b is a product itself this saves an instruction: x·a₁·a₂ ± x·b takes three fused
    ones, x·(a₁·a₂ ± b) two. Otherwise a product becomes a sum, which is as long with fused
    multiply-add but occupies no multiplier. Only products that nothing else uses are taken apart.
    The old instructions stay for `drop_dead`.
    """
    uses = count_uses(program)
    chosen = _choose(program, uses)
    if not chosen:
        return program

    writer = _Writer()
    number: list[int] = []
    for i, instruction in enumerate(program.code):
        if i in chosen:
            products = [([number[x] for x in factors], minus) for factors, minus in chosen[i]]
            number.append(writer.total(products))
            continue
        writer.code.append(instruction.renumbered(number))
        number.append(len(writer.code) - 1)
    return program.with_code(writer.code, [number[k] for k in program.results])


def _choose(program: Program, uses: list[int]) -> dict[int, list[Product]]:
    """Return the sums that have a common factor, as lists of products."""
    single = bytearray(
        [op == "mul" and n == 1 for (op, _, _), n in zip(program.code, uses, strict=True)]
    )
    chosen = {}
    for i, terms in flatten(program, uses).items():
        if sum([single[t] for t, _ in terms]) > 1:
            products = [(_factors(program, single, t), minus) for t, minus in terms]
            if _best(products) is not None:
                chosen[i] = products
    return chosen


def _factors(program: Program, single: bytearray, t: int) -> list[int]:
    """Return the factors of a term as far as nothing else uses the products."""
    if not single[t]:
        return [t]
    factors = []
    stack = [t]
    while stack:
        t = stack.pop()
        if single[t]:
            stack += reversed(program.code[t].args)
        else:
            factors.append(t)
    return factors


def _best(products: list[Product]) -> int | None:
    """Return the common factor that saves most, the first of equals; None if there is none."""
    factors = [x for xs, _ in products if len(xs) > 1 for x in xs]
    if len(set(factors)) == len(factors):
        return None
    terms: Counter[int] = Counter()
    long: Counter[int] = Counter()
    for xs, _ in products:
        if len(xs) > 1:
            for x in dict.fromkeys(xs):
                terms[x] += 1
                long[x] += len(xs) > 2
    best, most = None, (0, 1)
    for x, n in terms.items():
        # a product for each term of three factors or more, less one if all terms are such
        saved = (long[x] - (long[x] == n), n)
        if n > 1 and saved > most:
            best, most = x, saved
    return best


class _Writer:
    """The instructions written so far."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []

    def write(self, op: str, a: int, b: int) -> int:
        self.code.append(Instruction(op, (a, b)))
        return len(self.code) - 1

    def total(self, products: list[Product]) -> int:
        """Return the sum of products, some of which are added."""
        while (x := _best(products)) is not None:
            group = [p for p in products if x in p[0] and len(p[0]) > 1]
            products = [p for p in products if not (x in p[0] and len(p[0]) > 1)]
            minus = all(sign for _, sign in group)
            inner = self.total([(_without(x, xs), sign != minus) for xs, sign in group])
            products.append(([x, inner], minus))
        products.sort(key=lambda p: p[1])
        total = None
        for factors, minus in products:
            term = factors[0]
            for x in factors[1:]:
                term = self.write("mul", term, x)
            if total is None:
                total = term
            else:
                total = self.write("sub" if minus else "add", total, term)
        assert total is not None
        return total


def _without(x: int, factors: list[int]) -> list[int]:
    place = factors.index(x)
    return factors[:place] + factors[place + 1 :]
