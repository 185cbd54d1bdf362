"""Generated code of a model, for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from dalembert.errors import UnknownName, nearest
from dalembert.expr import symbol_text
from dalembert.kernel.compiler import ON_HOST

if TYPE_CHECKING:
    from dalembert.kernel.backends.c.header import CSource
    from dalembert.kernel.program.program import Program
    from dalembert.model.model import Model

Chosen: TypeAlias = Sequence[str | tuple[str, Mapping[str, object]]]
"""Names of a model's functions, with options as ``("jacobian", {"frame": "tip"})``."""

NUM_CONFIGURATIONS = 3
LANGUAGES = ("c", "rolled_c", "casadi", "cuda", "llvm", "python", "matlab")


def source(
    model: Model, language: str, functions: Chosen, prefix: str | None, dtype: str | None
) -> CSource | str:
    """Return generated code; see `Model.source`. It has been run, and compared with the model."""
    chosen = [(f, {}) if isinstance(f, str) else f for f in functions]
    name = prefix or model.name
    if language == "rolled_c":
        return _rolled(model, chosen, name, dtype or _host_dtype(model))
    if language not in LANGUAGES:
        raise UnknownName(
            f"expected a language of {', '.join(LANGUAGES)}, got {language!r} "
            f"({nearest(language, LANGUAGES)})"
        )
    programs = _programs(model, chosen)
    used = dtype or ("float32" if language == "cuda" else _host_dtype(model))
    if language == "llvm":
        return _llvm(programs, used)
    if language == "casadi":
        made, programs = _casadi(model, programs, chosen, name)
        used = "float64"
    elif language == "c":
        from dalembert.kernel.backends.c.flat import source as flat

        docs = model.description.array_docs()
        made = flat(programs, prefix=name, dtype=used, robot=model.name, arrays=docs)
    elif language == "cuda":
        from dalembert.kernel.backends.cuda.source import cuda_source

        made = "\n".join(cuda_source(program, used) for program in programs)
    else:
        from dalembert.model.source.scripts import script

        made = script(programs, language, name, _meanings(model))
        used = "float64"
    from dalembert.model.source.checks import check_code

    check_code(language, made, programs, name, used, _configurations(model))
    return made


def _rolled(
    model: Model, chosen: Sequence[tuple[str, Mapping[str, object]]], prefix: str, dtype: str
) -> CSource:
    from dalembert.model.source.checks import check_rolled
    from dalembert.model.source.rolled_c.source import rolled_source

    names = [name for name, _ in chosen]
    for name, options in chosen:
        if options:
            raise UnknownName(
                f"expected no options of {name} in rolled C, got {', '.join(options)}: its "
                "functions take the number of the link when they are called"
            )
    made = rolled_source(model.mechanism, names, prefix=prefix, dtype=dtype)
    check_rolled(made, model.mechanism, names, prefix, _configurations(model))
    return made


def _casadi(
    model: Model,
    programs: Sequence[Program],
    chosen: Sequence[tuple[str, Mapping[str, object]]],
    prefix: str,
) -> tuple[CSource, list[Program]]:
    """Return C for CasADi, with the programs of its functions and of their Jacobians."""
    from dalembert.kernel.backends.casadi.interface import casadi_source
    from dalembert.model.source.casadi import with_jacobian

    pairs = [with_jacobian(model, p, *f) for p, f in zip(programs, chosen, strict=True)]
    docs = model.description.array_docs()
    made = casadi_source(pairs, prefix=prefix, robot=model.name, arrays=docs)
    slopes = [replace(x.jacobian, name=f"jac_{x.program.name}") for x in pairs]
    return made, [*programs, *slopes]


def _llvm(programs: Sequence[Program], dtype: str) -> str:
    from dalembert.kernel.backends.llvm.build import text
    from dalembert.kernel.backends.llvm.host import this_host
    from dalembert.kernel.backends.llvm.reals import real_of

    real = real_of(dtype)
    width = this_host().lanes(real)
    return "\n".join(text(program, width, None, real) for program in programs)


def _configurations(model: Model) -> list[list[float]]:
    """Return configurations at which code is compared: quaternions have length one."""
    return [list(map(float, q)) for q in model.configuration.random(7, NUM_CONFIGURATIONS)]


def _host_dtype(model: Model) -> str:
    """Return the dtype of code for a processor: that of the model if it runs on one."""
    return model.dtype if model.backend in ON_HOST else "float64"


def _meanings(model: Model) -> dict[str, str]:
    """Return what the numbers of the inputs are, by the name of the input."""
    names = model.configuration
    return {
        "q": ", ".join(names.q_names),
        "qd": ", ".join(names.v_names),
        "parameters": ", ".join(symbol_text(x) for x in model.symbols.parameters),
    }


def _programs(model: Model, chosen: Sequence[tuple[str, Mapping[str, object]]]) -> list[Program]:
    """Return the programs; those of one function differ by the options in their names."""
    names = [name for name, _ in chosen]
    programs = []
    for name, options in chosen:
        program = model.program(name, **options)
        if names.count(name) > 1:
            parts = (x if isinstance(x, tuple | list | range) else (x,) for x in options.values())
            words = [str(word) for part in parts for word in part]
            program = replace(program, name="_".join([name, *words]))
        programs.append(program)
    return programs
