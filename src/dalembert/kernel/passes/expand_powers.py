"""Powers to multiplications and roots."""

from __future__ import annotations

from fractions import Fraction

from dalembert.kernel.program.program import Instruction, Program


def expand_powers(program: Program) -> Program:
    """Return the program with xⁿ as a chain of products, x⁻ⁿ as 1/xⁿ and xⁿ⁺¹ᐟ² as xⁿ√x.

    The chains of one base share their links: x⁵ = (x²)²·x beside x⁴ = (x²)² costs one product.
    Other rational exponents stay as they are.
    """
    if all(instruction.op != "pow" for instruction in program.code):
        return program

    writer = _Writer()
    number: list[int] = []
    for instruction in program.code:
        op, args, value = instruction
        if op == "pow":
            number.append(writer.power(number[args[0]], value))
        elif op == "sqrt":
            number.append(writer.root(number[args[0]]))
        else:
            writer.code.append(instruction.renumbered(number))
            number.append(len(writer.code) - 1)
    return program.with_code(writer.code, [number[k] for k in program.results])


class _Writer:
    """The instructions written so far, with the powers and roots among them."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self.powers: dict[tuple[int, int], int] = {}
        self.roots: dict[int, int] = {}
        self.ones: list[int] = []

    def write(self, op: str, args: tuple[int, ...] = (), value: object = None) -> int:
        self.code.append(Instruction(op, args, value))
        return len(self.code) - 1

    def one(self) -> int:
        if not self.ones:
            self.ones.append(self.write("const", (), Fraction(1)))
        return self.ones[0]

    def root(self, x: int) -> int:
        if x not in self.roots:
            self.roots[x] = self.write("sqrt", (x,))
        return self.roots[x]

    def power(self, x: int, exponent: Fraction) -> int:
        if exponent.denominator > 2:
            return self.write("pow", (x,), exponent)
        whole, half = divmod(abs(exponent.numerator), exponent.denominator)
        result = self.chain(x, whole) if whole else self.one()
        if half:
            root = self.root(x)
            result = self.write("mul", (result, root)) if whole else root
        return self.write("div", (self.one(), result)) if exponent < 0 else result

    def chain(self, x: int, n: int) -> int:
        """Return xⁿ for n ≥ 1, by squaring."""
        if n == 1:
            return x
        if (x, n) not in self.powers:
            a = self.chain(x, n - 1 if n % 2 else n // 2)
            self.powers[x, n] = self.write("mul", (a, x if n % 2 else a))
        return self.powers[x, n]
