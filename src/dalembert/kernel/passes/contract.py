"""Products fuse with the sums they enter."""

from __future__ import annotations

from dalembert.kernel.program.program import ARITY, Instruction, Program
from dalembert.kernel.program.sums import Term, count_uses, flatten

LATENCY = {"const": 0, "input": 0, "sin_of": 0, "cos_of": 0, "neg": 1, "div": 14, "sqrt": 18}
LATENCY |= dict.fromkeys(("add", "sub", "mul", "fma", "fms", "fnma"), 4)
LATENCY |= dict.fromkeys(set(ARITY) - set(LATENCY), 40)
"""Cycles until a result can be used, on current cores; only their order of size matters."""


def contract(program: Program) -> Program:
    """Return the program with ``fma`` a·b + c, ``fms`` a·b - c and ``fnma`` c - a·b.

    Sums that enter only one other sum are flattened: t₁ ± t₂ ± … ± tₙ needs n - 1 instructions, and
    each can absorb one product that nothing else uses. Then each sum is written as a chain that
    begins with a term that is no product and takes the others in the order in which they become
    available.

    A product that k sums share could vanish into all of them as well; but then the multipliers work
    k times instead of once, which costs more than the instruction saved where adders are separate.
    """
    code = program.code
    uses = count_uses(program)
    sums = flatten(program, uses)
    absorbed = _absorb(program, uses, sums)
    writer = _Writer()
    number = [-1] * len(code)
    for i, (op, args, value) in enumerate(code):
        if absorbed[i]:
            continue
        if i in sums:
            terms = [(code[t].args if absorbed[t] else (t,), minus) for t, minus in sums[i]]
            number[i] = writer.chain(
                [(tuple([number[a] for a in factors]), minus) for factors, minus in terms]
            )
        elif op != "add" and op != "sub":
            number[i] = writer.write(op, tuple([number[a] for a in args]), value)
    return program.with_code(writer.code, [number[k] for k in program.results])


def _absorb(program: Program, uses: list[int], sums: dict[int, list[Term]]) -> bytearray:
    """Tell for every instruction whether it is a product that vanishes into a sum."""
    absorbed = bytearray(len(program.code))
    for terms in sums.values():
        products = [t for t, _ in terms if uses[t] == 1 and program.code[t].op == "mul"]
        # a sum of nothing but products begins with the earliest
        if len(products) == len(terms):
            products.remove(min(products))
        for t in products:
            absorbed[t] = True
    return absorbed


class _Writer:
    """The instructions written so far, with the time at which each is available."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self.ready: list[int] = []

    def write(self, op: str, args: tuple[int, ...], value: object = None) -> int:
        ready = self.ready
        start = 0
        for a in args:
            if ready[a] > start:
                start = ready[a]
        ready.append(start + LATENCY[op])
        self.code.append(Instruction(op, args, value))
        return len(ready) - 1

    def chain(self, terms: list[tuple[tuple[int, ...], bool]]) -> int:
        """Return the sum of terms with signs, each one number or the product of two."""
        ready = self.ready
        if len(terms) > 2:
            terms.sort(key=lambda term: max([ready[a] for a in term[0]]))
        start = _first(terms, factors=1, minus=False)
        if start is not None:
            ((total,), _) = terms.pop(start)
        else:
            # no lone term is added, so some product is: a·b - c
            product = _first(terms, factors=2, minus=False)
            assert product is not None
            (a, b), _ = terms.pop(product)
            lone = _first(terms, factors=1, minus=True)
            assert lone is not None
            (c,), _ = terms.pop(lone)
            total = self.write("fms", (a, b, c))
        for factors, minus in terms:
            if len(factors) == 2:
                total = self.write("fnma" if minus else "fma", (*factors, total))
            else:
                total = self.write("sub" if minus else "add", (total, *factors))
        return total


def _first(terms: list[tuple[tuple[int, ...], bool]], *, factors: int, minus: bool) -> int | None:
    for place, (numbers, sign) in enumerate(terms):
        if len(numbers) == factors and sign is minus:
            return place
    return None
