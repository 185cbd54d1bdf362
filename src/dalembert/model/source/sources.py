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

LANGUAGES = ("c", "rolled_c", "casadi", "cuda", "llvm", "python", "matlab")


def source(
    model: Model, language: str, functions: Chosen, prefix: str | None, dtype: str | None
) -> CSource | str:
    """Return generated code; see `Model.source`."""
    chosen = [(f, {}) if isinstance(f, str) else f for f in functions]
    if language == "rolled_c":
        from dalembert.model.source.rolled_c.source import rolled_source

        names = [name for name, _ in chosen]
        for name, options in chosen:
            if options:
                raise UnknownName(
                    f"expected no options of {name} in rolled C, got {', '.join(options)}: its "
                    "functions take the number of the link when they are called"
                )
        return rolled_source(
            model.mechanism, names, prefix=prefix or model.name, dtype=dtype or _host_dtype(model)
        )
    if language not in LANGUAGES:
        raise UnknownName(
            f"expected a language of {', '.join(LANGUAGES)}, got {language!r} "
            f"({nearest(language, LANGUAGES)})"
        )
    programs = _programs(model, chosen)
    if language == "c":
        from dalembert.kernel.backends.c.flat import source as flat

        return flat(
            programs,
            prefix=prefix or model.name,
            dtype=dtype or _host_dtype(model),
            robot=model.name,
            arrays=model.description.array_docs(),
        )
    if language == "casadi":
        from dalembert.kernel.backends.casadi.interface import casadi_source
        from dalembert.model.source.casadi import with_jacobian

        return casadi_source(
            [with_jacobian(model, p, *f) for p, f in zip(programs, chosen, strict=True)],
            prefix=prefix or model.name,
            robot=model.name,
            arrays=model.description.array_docs(),
        )
    if language == "cuda":
        from dalembert.kernel.backends.cuda.source import cuda_source

        return "\n".join(cuda_source(program, dtype or "float32") for program in programs)
    if language in ("python", "matlab"):
        from dalembert.model.source.scripts import script

        return script(programs, language, prefix or model.name, _meanings(model))
    from dalembert.kernel.backends.llvm.build import lanes_of, text
    from dalembert.kernel.backends.llvm.reals import real_of

    real = real_of(dtype or _host_dtype(model))
    return "\n".join(text(program, lanes_of(real), None, real) for program in programs)


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
