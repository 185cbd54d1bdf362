"""Run a program over the exact ring of the equations of motion, one ring operation at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter

from dalembert.errors import OutsideRing, TooLarge
from dalembert.expr import PI, Expr
from dalembert.expr.functions import FUNCTIONS
from dalembert.expr.node import power
from dalembert.kernel.program import program as programs
from dalembert.kernel.program.interpret import Algebra, complete, interpret
from dalembert.kernel.program.program import Program
from dalembert.ring import Element, Ring, canonical, rebuild
from dalembert.spatial.scalar import sincos

MAX_TERMS = 200_000
"""Terms of one intermediate result, beyond which a run would take minutes."""


def run_in_ring(
    program: Program, inputs: Mapping[str, Sequence[Expr]], ring: Ring
) -> dict[str, list[Element]]:
    """Return every output as ring elements of the symbols given for each input.

    Raises:
        TooLarge: an intermediate result has more than `MAX_TERMS` terms, or a function occurs
            that the ring does not know.
    """
    symbols = [inputs[port.name] for port in program.inputs]
    algebra = {op: _limited(program, op, run) for op, run in elements_of(ring).items()}
    results = [ring.element(x) for x in interpret(program, symbols, algebra)]
    return program.by_output(results)


def elements_of(ring: Ring) -> Algebra[Element | Fraction]:
    """Return the algebra of a ring's elements; rationals stay rationals while they can."""

    def expr(x: Element | Fraction) -> Expr:
        return rebuild(ring.element(x))

    def raised(x: Element | Fraction, exponent: Fraction) -> Element:
        if exponent.denominator == 1:
            return ring.element(x) ** int(exponent)
        return canonical(ring, power(expr(x), exponent))

    def built(build: Callable[..., Expr]) -> Callable[..., Element]:
        return lambda *args: canonical(ring, build(*map(expr, args)))

    return complete(
        {
            "input": ring.element_of,
            "const": lambda value: canonical(ring, PI) if value == programs.PI else value,
            "pow": raised,
            **{name: built(function.build) for name, function in FUNCTIONS.items()},
            # both at once
            "sincos": lambda x: sincos(ring.element(x)),
            "sin_of": itemgetter(0),
            "cos_of": itemgetter(1),
        }
    )


def _limited(
    program: Program, op: str, run: Callable[..., Element | Fraction]
) -> Callable[..., Element | Fraction]:
    """Return an operation that raises where the ring cannot go on."""

    def limited(*args: Element | Fraction) -> Element | Fraction:
        try:
            result = run(*args)
        except OutsideRing as error:
            raise TooLarge(
                f"expected the functions of the equations in {program.name}, got {op} outside "
                f"their ring ({error}): compare over a prime field instead"
            ) from None
        if isinstance(result, Element) and len(result) > MAX_TERMS:
            raise TooLarge(
                f"expected at most {MAX_TERMS:,} terms in {program.name}, got {len(result):,}: "
                "compare over a prime field instead"
            )
        return result

    return limited
