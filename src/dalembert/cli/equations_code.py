"""The exact equations as code: functions for M, C, N, Υ and A."""

from dalembert.expr import Expr, Kind, Matrix, free_symbols, is_kind, symbol_text, time
from dalembert.kernel.backends.c.flat import source
from dalembert.kernel.compiler import compile_program
from dalembert.kernel.program.program import Program
from dalembert.mechanics import Equations
from dalembert.model.source.checks import check_code
from dalembert.model.source.scripts import script

FUNCTIONS = {
    "mass_matrix": "M",
    "coriolis_matrix": "C",
    "other_forces": "N",
    "applied_forces": "forces",
    "constraint_jacobian": "A",
    "constraint_jacobian_rate": "Ad",
}
"""The names of the functions, and the parts of the equations that they return."""


def code(eq: Equations, language: str, name: str) -> str:
    """Return a file of functions of q, q̇, the inputs, the parameters and t.

    Args:
        eq: The equations.
        language: "python", "matlab" or "c".
        name: Of the system.

    Raises:
        EvaluationError: The text does not compute what the equations say; see `check_code`.
    """
    parts = {word: getattr(eq, part) for word, part in FUNCTIONS.items()}
    programs = [_program(eq, word, part) for word, part in parts.items() if len(part)]
    made = _text(eq, programs, language, name)
    check_code(language, made, programs, name, "float64")
    return made


def _text(eq: Equations, programs: list[Program], language: str, name: str) -> str:
    if language == "c":
        made = source(programs, prefix=name, robot=name)
        # one file is enough to compile: the header stands where it was included
        return made.source.replace(f'#include "{made.stem}.h"\n', made.header)
    meanings = {
        "q": ", ".join(symbol_text(x) for x in eq.coordinates),
        "qd": "their rates",
        "u": ", ".join(symbol_text(x) for x in _inputs(eq)),
        "parameters": ", ".join(symbol_text(x) for x in eq.parameters),
    }
    return script(programs, language, name, meanings)


def _program(eq: Equations, word: str, part: Matrix) -> Program:
    symbols = {"q": eq.coordinates, "qd": eq.velocities, "u": _inputs(eq)}
    symbols |= {"parameters": eq.parameters, "t": (time,)}
    used = set(free_symbols(part.entries))
    # those of the state are always there, so that calls look alike
    taken = {k: list(v) for k, v in symbols.items() if k == "q" or used & set(v)}
    return compile_program({FUNCTIONS[word]: part}, taken, name=word)


def _inputs(eq: Equations) -> tuple[Expr, ...]:
    found = [x for x in free_symbols(eq.forces.entries) if is_kind(x, Kind.INPUT)]
    return tuple(sorted(found, key=symbol_text))
