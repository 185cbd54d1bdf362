"""C with the functions that `casadi.external` looks for, so that solvers call compiled code.

For a function f these are ``f(arg, res, iw, w, mem)`` with a pointer to each array, null for zeros
and for results that nobody wants; ``f_n_in``, ``f_name_in``, ``f_sparsity_in`` and so on describe
it; ``jac_f`` is its Jacobian: of the inputs and the outputs of f, a block for each pair of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from dalembert.kernel.backends.c.flat import source
from dalembert.kernel.backends.c.header import ArrayDoc, CSource
from dalembert.kernel.backends.c.names import identifier
from dalembert.kernel.backends.casadi.columns import Pattern, compressed_by_columns, dense
from dalembert.kernel.program.program import Port, Program

START = """
/* The interface of CasADi. */
#ifndef casadi_int
#define casadi_int long long int
#endif

#ifndef CASADI_EXPORT
#if defined(_WIN32)
#define CASADI_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define CASADI_EXPORT __attribute__((visibility("default")))
#else
#define CASADI_EXPORT
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif
"""
END = """
#ifdef __cplusplus
}
#endif
"""


class WithJacobian(NamedTuple):
    """A program, and that of its Jacobian: an output for each output and input in turn."""

    program: Program
    jacobian: Program


def casadi_source(
    functions: Sequence[WithJacobian],
    *,
    prefix: str,
    robot: str = "",
    arrays: Mapping[str, ArrayDoc] | None = None,
) -> CSource:
    """Return C that becomes a library for ``casadi.external("prefix_name", "path of it")``.

    Args:
        functions: Programs with their Jacobians.
        prefix: Of all names; also the name of the files.
        robot: Named in the first comment.
        arrays: What to say about the arrays of a name.
    """
    programs: list[Program] = []
    interfaces: list[str] = []
    for program, jacobian in functions:
        name = identifier(f"{prefix}_{program.name}")
        # of the outputs the Jacobian has no need
        told = [Port(f"out_{port.name}", port.shape) for port in program.outputs]
        for exported, suffix, part, ignored in (
            (name, "_values", program, []),
            (f"jac_{name}", "_jacobian", jacobian, told),
        ):
            packed, patterns = compressed_by_columns(part)
            programs.append(replace(packed, name=f"{program.name}{suffix}"))
            computing = identifier(f"{prefix}_{program.name}{suffix}")
            interfaces.append(_interface(exported, computing, packed, patterns, ignored))
    plain = source(programs, prefix=prefix, robot=robot, arrays=arrays)
    return plain._replace(source="\n".join([plain.source, START, *interfaces, END]))


def _interface(
    name: str,
    computing: str,
    program: Program,
    patterns: Sequence[Pattern],
    ignored: Sequence[Port],
) -> str:
    """Return the functions by which CasADi knows one function; ``ignored`` are more inputs."""
    inputs = [*program.inputs, *ignored]
    outputs = program.outputs
    work = sum(port.size for port in (*program.inputs, *outputs))
    names_in = [identifier(port.name) for port in inputs]
    names_out = [identifier(port.name) for port in outputs]
    return "\n".join(
        [
            _call(name, computing, program),
            _number(f"{name}_n_in", len(inputs)),
            _number(f"{name}_n_out", len(outputs)),
            _table(f"{name}_name_in", "const char *", [f'"{x}"' for x in names_in]),
            _table(f"{name}_name_out", "const char *", [f'"{x}"' for x in names_out]),
            _sparsities(f"{name}_sparsity_in", [dense(port) for port in inputs]),
            _sparsities(f"{name}_sparsity_out", patterns),
            _work(name, len(inputs), len(outputs), work),
        ]
    )


def _call(name: str, computing: str, program: Program) -> str:
    """Return the call: zeros for inputs that are null, work space for results that are."""
    lines = [
        "int i;",
        f"const double *from[{len(program.inputs)}];",
        f"double *into[{len(program.outputs)}];",
    ]
    for k, port in enumerate(program.inputs):
        lines += [
            f"if (!arg[{k}]) for (i = 0; i < {port.size}; ++i) w[i] = 0.0;",
            f"from[{k}] = arg[{k}] ? arg[{k}] : w;",
            f"w += {port.size};",
        ]
    for k, port in enumerate(program.outputs):
        lines += [f"into[{k}] = res[{k}] ? res[{k}] : w;", f"w += {port.size};"]
    given = [f"from[{k}]" for k in range(len(program.inputs))]
    given += [f"into[{k}]" for k in range(len(program.outputs))]
    lines += [f"{computing}({', '.join(given)});", "(void)iw;", "(void)mem;", "return 0;"]
    head = (
        f"CASADI_EXPORT int {name}(const double **arg, double **res, casadi_int *iw, double *w, "
        "int mem)"
    )
    return "\n".join([head, "{", *(f"    {line}" for line in lines), "}", ""])


def _work(name: str, arg: int, res: int, w: int) -> str:
    """Return the function that tells the lengths of arg, res, iw and w."""
    sizes = {"sz_arg": arg, "sz_res": res, "sz_iw": 0, "sz_w": w}
    parameters = ", ".join(f"casadi_int *{size}" for size in sizes)
    lines = [f"    if ({size}) *{size} = {value};" for size, value in sizes.items()]
    head = f"CASADI_EXPORT int {name}_work({parameters})"
    return "\n".join([head, "{", *lines, "    return 0;", "}", ""])


def _number(name: str, value: int) -> str:
    return f"CASADI_EXPORT casadi_int {name}(void) {{ return {value}; }}\n"


def _table(name: str, kind: str, values: Sequence[str]) -> str:
    cases = " ".join(f"case {k}: return {value};" for k, value in enumerate(values))
    head = f"CASADI_EXPORT {kind}{name}(casadi_int i)"
    return "\n".join([head, "{", f"    switch (i) {{ {cases} }}", "    return 0;", "}", ""])


def _sparsities(name: str, patterns: Sequence[Pattern]) -> str:
    """Return the function of compressed patterns, each a constant list of its own."""
    lists = [
        f"static const casadi_int {name}_{k}[] = {{{', '.join(map(str, p.compressed))}}};"
        for k, p in enumerate(patterns)
    ]
    table = _table(name, "const casadi_int *", [f"{name}_{k}" for k in range(len(patterns))])
    return "\n".join([*lists, table])
