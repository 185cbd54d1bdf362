"""The tick of a controller as C: a compiled program, the solver beside it, and their workspace."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError
from dalembert.kernel.backends.c.flat import source as flat
from dalembert.kernel.backends.c.header import Addition, CSource, comment, file_stem
from dalembert.kernel.backends.c.names import identifiers
from dalembert.kernel.backends.c.reals import Real, real_type
from dalembert.model.source.checks import check_code
from dalembert.quadratic.embedded import QuadraticSizes, solver_text, workspace_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dalembert.kernel.call.kernel import Kernel
    from dalembert.kernel.program.program import Program
    from dalembert.model.model import Model

QUADRATIC = ("H", "f", "A", "lower", "upper")
"""The outputs that are the program, in order; those behind them are kept as they are."""

NUM_CONFIGURATIONS = 3


def tick_source(
    model: Model,
    kernel: Kernel,
    conditions: Sequence[str],
    *,
    prefix: str | None = None,
    dtype: str = "float64",
    efforts: slice | None = None,
) -> CSource:
    """Return C99 of one tick with fixed sizes, its own solver and no allocation.

    Args:
        model: What the tick drives.
        kernel: The function that gives the quadratic program, H, f, A, lower and upper first.
        conditions: What each condition is about.
        prefix: Of the names. Default: the name of the robot.
        dtype: "float64" or "float32".
        efforts: Rows of A that, with the output "coasting", are the efforts of the actuators.

    Raises:
        EvaluationError: the function gives more than one program.
    """
    program = replace(kernel.program, name="terms")
    names = [port.name for port in program.outputs]
    if tuple(names[: len(QUADRATIC)]) != QUADRATIC or any(name.startswith("A_") for name in names):
        raise EvaluationError(
            "expected tasks of one priority for C, got several: give them weights instead"
        )
    real, name = real_type(dtype), prefix or model.name
    stem = file_stem(name)
    sizes = QuadraticSizes(program.outputs[1].size, len(conditions) - program.outputs[1].size)
    own = flat([program], prefix=name, dtype=dtype, robot=model.name)
    points = [list(map(float, q)) for q in model.configuration.random(7, NUM_CONFIGURATIONS)]
    check_code("c", own, [program], name, dtype, points)
    more = Addition(
        types=_workspace(program, sizes, real, stem, efforts),
        declarations=_declarations(program, real, stem, efforts),
        definitions=_definitions(program, sizes, real, stem, efforts),
        notes=("", "Conditions, by their places in lower and upper:", *_listed(conditions)),
    )
    docs = model.description.array_docs()
    return flat([program], prefix=name, dtype=dtype, robot=model.name, arrays=docs, more=more)


def _listed(conditions: Sequence[str]) -> list[str]:
    return [f"  {k}  {name}" for k, name in enumerate(conditions)]


def _kept(program: Program) -> list[tuple[str, int]]:
    """Return the outputs behind the program, with their sizes."""
    return [(port.name, port.size) for port in program.outputs[len(QUADRATIC) :]]


def _workspace(
    program: Program, sizes: QuadraticSizes, real: Real, stem: str, efforts: slice | None
) -> str:
    fields = workspace_fields(sizes, real.type)
    meanings = {"e": "weighted errors of the tasks", "coasting": "efforts without unknowns"}
    fields += [
        (f"{real.type} {name}[{max(size, 1)}]", meanings.get(name, name))
        for name, size in _kept(program)
    ]
    if efforts is not None:
        count = efforts.stop - efforts.start
        fields.append((f"{real.type} effort[{count}]", "what each actuator gives, N m or N"))
    lines = [f"    {field}; /* {meaning} */" for field, meaning in fields]
    return "\n".join(
        [
            comment(["All memory of a tick. The caller owns it; it needs no beginning."]),
            "typedef struct {",
            *lines,
            f"}} {stem}_work;",
            "",
            "",
        ]
    )


def _head(program: Program, real: Real, stem: str) -> str:
    arguments = [f"const {real.type} *{name}" for name in _inputs(program)]
    return f"int {stem}_tick({', '.join([*arguments, f'{stem}_work *w'])})"


def _inputs(program: Program) -> list[str]:
    return list(identifiers(port.name for port in program.inputs))


def _declarations(program: Program, real: Real, stem: str, efforts: slice | None) -> str:
    effort = " and effort" if efforts is not None else ""
    rules = [
        f"Compute the program of a tick and solve it: x{effort} in the workspace.",
        "Returns 0 where that is the solution, 1 where conditions exclude each other,",
        "2 where H is not positive definite, 3 where rounding keeps the solver from it.",
    ]
    solve = ["The same for a program that is in the workspace, such as one with other bounds."]
    return (
        f"\n{comment(rules)}\n{_head(program, real, stem)};\n"
        f"\n{comment(solve)}\nint {stem}_solve({stem}_work *w);\n"
    )


def _definitions(
    program: Program, sizes: QuadraticSizes, real: Real, stem: str, efforts: slice | None
) -> str:
    outputs = [f"w->{port.name}" for port in program.outputs]
    call = ", ".join([*_inputs(program), *outputs])
    lines = [
        "",
        solver_text(sizes, real.type, f"{stem}_work"),
        f"int {stem}_solve({stem}_work *w)",
        "{",
    ]
    if efforts is None:
        lines.append("    return qp_solve(w);")
    else:
        n = sizes.unknowns
        lines += [
            "    const int status = qp_solve(w);",
            f"    for (int k = 0; k < {efforts.stop - efforts.start}; k++) {{",
            "        w->effort[k] = w->coasting[k];",
            f"        for (int i = 0; i < {n}; i++) {{",
            f"            w->effort[k] += w->A[({efforts.start} + k) * {n} + i] * w->x[i];",
            "        }",
            "    }",
            "    return status;",
        ]
    lines += [
        "}",
        "",
        _head(program, real, stem),
        "{",
        f"    {stem}_terms({call});",
        f"    return {stem}_solve(w);",
        "}",
        "",
    ]
    return "\n".join(lines)
