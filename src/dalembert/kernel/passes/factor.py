"""Common factors are taken out of sums."""

from __future__ import annotations

from collections import Counter

from dalembert.kernel.passes.sums import count_uses, flatten
from dalembert.kernel.program import Instruction, Program

Product = tuple[list[int], bool]
"""Factors, and whether their product is subtracted."""


def run(program: Program) -> Program:
    """Return the program with x·a·b ± x·c as x·(a·b ± c) where this saves an instruction.

    With fused multiply-add, x·a + x·c and x·(a + c) cost the same. What is saved are the products
    inside: one for each term of three factors or more, less one if all terms are such. Only
    products that nothing else uses are taken apart. The old instructions stay for `dead`.
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
        op, args, value = instruction
        number.append(len(writer.code))
        if args:
            instruction = Instruction(op, tuple([number[a] for a in args]), value)
        writer.code.append(instruction)
    return program.with_code(writer.code, [number[k] for k in program.results])


def _choose(program: Program, uses: list[int]) -> dict[int, list[Product]]:
    """Return the sums that have a factor worth taking out, as lists of products."""
    # products of three factors or more, without which there is nothing to save
    long = {
        i
        for i, (op, args, _) in enumerate(program.code)
        if op == "mul"
        and uses[i] == 1
        and any(uses[a] == 1 and program.code[a].op == "mul" for a in args)
    }
    chosen = {}
    for i, terms in flatten(program, uses).items():
        if any(t in long for t, _ in terms):
            products = [(_factors(program, uses, t), minus) for t, minus in terms]
            if _best(products) is not None:
                chosen[i] = products
    return chosen


def _factors(program: Program, uses: list[int], t: int) -> list[int]:
    """Return the factors of a term as far as nothing else uses the products."""
    factors = []
    stack = [t]
    while stack:
        t = stack.pop()
        op, args, _ = program.code[t]
        if op == "mul" and uses[t] == 1:
            stack += reversed(args)
        else:
            factors.append(t)
    return factors


def _best(products: list[Product]) -> int | None:
    """Return the factor that saves most, the first of equals; None if none saves."""
    times: Counter[int] = Counter()
    inside: Counter[int] = Counter()
    for factors, _ in products:
        if len(factors) > 1:
            for x in dict.fromkeys(factors):
                times[x] += 1
                inside[x] += len(factors) > 2
    best, most = None, 0
    for x, n in times.items():
        saving = inside[x] - (inside[x] == n)
        if n > 1 and saving > most:
            best, most = x, saving
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
