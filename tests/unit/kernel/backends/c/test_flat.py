"""Flat C against Python's own arithmetic, the recursions over floats, and Pinocchio."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidExpression, UnknownName
from dalembert.kernel.backends.c import ArrayDoc, flat, pieces, source
from dalembert.kernel.backends.c.names import (
    RESERVED,
    comment_text,
    identifier,
    identifiers,
)
from dalembert.kernel.backends.c.reals import REALS, literal
from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.program import ARITY, PI, Instruction, Port, Program
from dalembert.kernel.program.spec import validate
from dalembert.kernel.program.trace import trace
from dalembert.mechanism import Mechanism
from dalembert.mechanism.io.urdf.write import save_urdf
from dalembert.model.source.rolled_c import mechanism_arrays
from dalembert.recursions.dynamics.articulated import forward_dynamics
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.tree import Tree
from tests.random_mechanisms import random_mechanism, random_state
from tests.unit.kernel.backends.c.toolchain import (
    C99,
    Library,
    compile_quietly,
    needs_compilers,
    run,
    solution_size,
)

# a few ulp of the largest entry, times the depth of the tree
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
# of the largest terms that solving with M adds up
FORWARD = {"float64": 1e-14, "float32": 5e-6}
# <math.h> against Python's functions: an ulp or two of values around 1
ELEMENTARY = {"float64": 1e-15, "float32": 1e-6}
NAMES = ['a; system("x")', "int", "ñ", "q-1", "q_1", "q", "*/", "a\nb", "__FILE__", "t1", "w", ""]


def symbols(name: str, n: int) -> list[Any]:
    return list(da.parameters(" ".join(f"{name}{i}" for i in range(n))))


def programs(mechanism: Mechanism) -> list[Program]:
    """Return inverse dynamics, mass matrix and forward dynamics of a mechanism."""
    tree = Tree.of(mechanism)
    q = symbols("q", tree.nq)
    v, a, tau = (symbols(x, tree.nv) for x in ("v", "a", "tau"))
    inverse = inverse_dynamics(tree, q, v, a)
    forward = forward_dynamics(tree, q, v, tau)
    return [
        optimise(trace("inverse_dynamics", {"q": q, "v": v, "a": a}, {"tau": inverse})),
        optimise(trace("mass_matrix", {"q": q}, {"M": mass_matrix(tree, q)})),
        optimise(trace("forward_dynamics", {"q": q, "v": v, "tau": tau}, {"a": forward})),
    ]


def close(a: Any, b: Any, tolerance: float) -> None:
    """Compare relative to the largest entry."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert np.abs(a - b).max(initial=0.0) <= tolerance * np.abs(b).max(initial=0.0)


# what each operation means, in Python's own arithmetic
MEANING: dict[str, Callable[..., float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "fma": lambda a, b, c: a * b + c,
    "fms": lambda a, b, c: a * b - c,
    "fnma": lambda a, b, c: c - a * b,
    "sqrt": lambda a: math.sqrt(a),
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan2": math.atan2,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": math.fabs,
    "sign": lambda a: math.copysign(1.0, a),
    "sin_of": math.sin,
    "cos_of": math.cos,
}
POWERS = [Fraction(n, d) for n, d in ((1, 3), (2, 1), (-1, 1), (-3, 2), (3, 1), (-2, 5))]


def every_operation() -> tuple[Program, Callable[[float, float, float], list[float]]]:
    """Return a program that uses every operation, and what it computes."""
    code = [Instruction("input", (), (0, k)) for k in range(3)]
    code += [Instruction("const", (), Fraction(-7, 3)), Instruction("const", (), PI)]
    code.append(Instruction("sincos", (0,)))
    first = len(code)
    for op in MEANING:
        args = (5,) if op in ("sin_of", "cos_of") else tuple(range(ARITY[op]))
        code.append(Instruction(op, args))
    code += [Instruction("pow", (0,), k) for k in POWERS]
    code += [Instruction("mul", (3, 1)), Instruction("sub", (4, 3)), Instruction("sign", (3,))]
    results = (*range(first, len(code)), 3, 4, 0)
    program = Program("all", (Port("x", (3,)),), (Port("y", (len(results),)),), (), ())
    assert {op for op, _, _ in code} == set(ARITY)

    def expected(a: float, b: float, c: float) -> list[float]:
        values = [f(*(a, b, c)[: 1 if ARITY[op] == 0 else ARITY[op]]) for op, f in MEANING.items()]
        values += [a ** float(k) for k in POWERS]
        return [*values, -7 / 3 * b, math.pi + 7 / 3, -1.0, -7 / 3, math.pi, a]

    return validate(program.with_code(code, results)), expected


@needs_compilers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_every_operation(dtype: str, tmp_path: Path, rng: np.random.Generator) -> None:
    program, expected = every_operation()
    text = source([program], prefix="ops", dtype=dtype)
    compile_quietly(text, tmp_path, "-Wdouble-promotion", "-Wfloat-conversion")
    library = Library([text], tmp_path, "-O1", dtype=dtype)
    for _ in range(20):
        # within the domain of asin and log, and exact in both types
        x = np.float32(rng.uniform(0.05, 0.95, size=3)).astype(float)
        y = library("ops_all", [x], len(program.results))
        np.testing.assert_allclose(y, expected(*x), rtol=ELEMENTARY[dtype], atol=ELEMENTARY[dtype])


@needs_compilers
def test_sign_keeps_zero_and_nan(tmp_path: Path) -> None:
    (x,) = da.parameters("x")
    library = Library([source([trace("f", {"x": x}, {"y": da.sign(x)})], prefix="p")], tmp_path)
    got = [float(library("p_f", [[value]], 1)[0]) for value in (3.0, -0.5, 0.0, math.nan)]
    assert got[:3] == [1.0, -1.0, 0.0]
    assert math.isnan(got[3])


@needs_compilers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_random_mechanisms(dtype: str, tmp_path: Path, rng: np.random.Generator) -> None:
    mechanisms = [random_mechanism(rng, 3) for _ in range(8)]
    mechanisms = [m for m in mechanisms if m.nv]
    texts = [
        source(programs(m), prefix=f"r{i}", dtype=dtype, arrays=mechanism_arrays(m))
        for i, m in enumerate(mechanisms)
    ]
    library = Library(texts, tmp_path, "-O1", "-Wdouble-promotion", dtype=dtype)
    for i, mechanism in enumerate(mechanisms):
        tree, n = Tree.of(mechanism).map(float), mechanism.nv
        q, v, a = (x.tolist() for x in (*random_state(rng, mechanism), rng.normal(size=n)))
        tolerance = TOLERANCE[dtype]
        tau = inverse_dynamics(tree, q, v, a)
        close(library(f"r{i}_inverse_dynamics", [q, v, a], n), tau, tolerance)
        M = np.array(mass_matrix(tree, q))
        close(library(f"r{i}_mass_matrix", [q], (n, n)), M, tolerance)
        # the acceleration that gave tau comes back
        h = inverse_dynamics(tree, q, v, [0.0] * n)
        back = library(f"r{i}_forward_dynamics", [q, v, tau], n)
        assert np.abs(back - a).max() <= FORWARD[dtype] * solution_size(M, a, tau, h)


@needs_compilers
def test_panda_agrees_with_pinocchio(tmp_path: Path, rng: np.random.Generator) -> None:
    pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: no oracle")
    panda = da.textbook.robots.panda()
    library = Library([source(programs(panda), prefix="panda")], tmp_path, "-O2")
    model = pin.buildModelFromXML(save_urdf(panda))
    data = model.createData()
    for _ in range(10):
        q, v, a = rng.uniform(-2, 2, 7), rng.normal(size=7), rng.normal(size=7)
        close(
            library("panda_inverse_dynamics", [q, v, a], 7), pin.rnea(model, data, q, v, a), 1e-12
        )
        M = np.triu(pin.crba(model, data, q))
        close(library("panda_mass_matrix", [q], (7, 7)), M + np.triu(M, 1).T, 1e-12)
        close(library("panda_forward_dynamics", [q, v, a], 7), pin.aba(model, data, q, v, a), 1e-11)


@needs_compilers
def test_optimisation_changes_no_bit(tmp_path: Path, rng: np.random.Generator) -> None:
    arm = random_mechanism(rng, 3, kinds=("revolute", "floating"))
    texts = [source(programs(arm), prefix="r")]
    libraries = [Library(texts, tmp_path, o, "-ffp-contract=off") for o in ("-O0", "-O3")]
    q, v = random_state(rng, arm)
    for name in ("inverse_dynamics", "forward_dynamics"):
        slow, fast = (x(f"r_{name}", [q, v, v], arm.nv) for x in libraries)
        assert slow.tobytes() == fast.tobytes()


@needs_compilers
@pytest.mark.parametrize("size", [1, 7, 100])
def test_pieces_compute_the_same_bits(
    size: int, tmp_path: Path, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = random_mechanism(rng, 2, kinds=("revolute", "spherical"))
    inverse, mass, _ = programs(arm)
    texts = [source([inverse, mass], prefix="whole")]
    monkeypatch.setattr(flat, "MAX_STATEMENTS", 50)
    monkeypatch.setattr(pieces, "PIECE", size)
    texts.append(source([inverse, mass], prefix="cut"))
    assert "static void cut_inverse_dynamics_Z1(" in texts[1].source
    compile_quietly(texts[1], tmp_path)
    library = Library(texts, tmp_path, "-ffp-contract=off")
    (q, v), n = random_state(rng, arm), arm.nv
    for name, inputs, shape in (("inverse_dynamics", [q, v, v], n), ("mass_matrix", [q], (n, n))):
        whole, cut = (library(f"{p}_{name}", inputs, shape) for p in ("whole", "cut"))
        assert whole.tobytes() == cut.tobytes()


@needs_compilers
def test_sanitizers_find_nothing(tmp_path: Path, rng: np.random.Generator) -> None:
    arm = random_mechanism(rng, 3, kinds=("revolute", "floating"), mimic=0)
    header, path = source(programs(arm), prefix="r").save(tmp_path)
    n = arm.nv
    # arrays of exactly the stated lengths, on the heap: one number further is found
    (tmp_path / "main.c").write_text(
        f"""#include <stdio.h>
#include <stdlib.h>
#include "{header.name}"
int main(void)
{{
    double *q = calloc({arm.nq}, sizeof *q), *v = calloc({n}, sizeof *v);
    double *a = calloc({n}, sizeof *a), *tau = calloc({n}, sizeof *tau);
    double *M = calloc({n * n}, sizeof *M);
    int i;
    for (i = 0; i < {arm.nq}; ++i)
        q[i] = 0.1*i;
    r_inverse_dynamics(q, v, a, tau);
    r_mass_matrix(q, M);
    r_forward_dynamics(q, v, tau, a);
    printf("%g", M[{n * n - 1}] + a[{n - 1}]);
    free(q); free(v); free(a); free(tau); free(M);
    return 0;
}}
"""
    )
    sanitize = ("-fsanitize=address,undefined", "-fno-sanitize-recover")
    run(*C99, "-g", *sanitize, tmp_path / "main.c", path, "-o", tmp_path / "main", "-lm")
    assert math.isfinite(float(run(tmp_path / "main")))


# ---- names


def test_identifiers_are_words_and_differ() -> None:
    names = [
        *NAMES,
        "Z",
        "Z5aZ",
        "int_",
        "intZ5fZ",
        "_",
        "__",
        "_a",
        "a_",
        "3",
        "qZ2dZ1",
        "restrict",
    ]
    mangled = [identifier(name) for name in names]
    assert len(set(mangled)) == len(names)
    for name in mangled:
        assert name.isascii()
        assert name.isidentifier()
        assert "__" not in name
        assert not name.startswith("_")
        assert name not in RESERVED


def test_identifiers_are_one_to_one(rng: np.random.Generator) -> None:
    letters = list("aZ_-5fiñ2")
    names = {"".join(rng.choice(letters, size=rng.integers(0, 6))) for _ in range(3000)}
    assert len({identifier(name) for name in names}) == len(names)


def test_equal_ports_get_numbers() -> None:
    assert identifiers(["x", "x", "x_2", "x"]) == ["x", "x_3", "x_2", "x_4"]


@needs_compilers
def test_hostile_names_stay_harmless(tmp_path: Path) -> None:
    x = symbols("x", len(NAMES))
    inputs = dict(zip(NAMES, x, strict=True))
    traced = [
        trace(name, inputs, {"q": [2 * x[k]], "p_int": x[k] + 1, 'f"\\': 0})
        for k, name in enumerate(NAMES)
    ]
    docs = {name: ArrayDoc(f"{name} */ int x; /* ??/\n", (f"{name}\n*/",)) for name in NAMES}
    text = source(traced, prefix="p", robot='*/ #include "x" \\', arrays=docs)
    assert text.header.isascii()
    assert text.source.isascii()
    compile_quietly(text, tmp_path)
    # nothing but the functions is defined, and they compute
    library = Library([text], tmp_path)
    defined = run("nm", "-g", "--defined-only", tmp_path / "object.o").split()[2::3]
    assert sorted(defined) == sorted(identifier(f"p_{name}") for name in NAMES)
    values = [[float(k)] for k in range(len(NAMES))]
    for k, name in enumerate(NAMES):
        outputs = library(identifier(f"p_{name}"), values, 1, 1, 1)
        assert [float(y[0]) for y in outputs] == [2.0 * k, k + 1.0, 0.0]


@needs_compilers
@pytest.mark.parametrize("prefix", ["int", "3 dof", "ñ", "x/../y", "ARM", ""])
def test_any_prefix_makes_files_that_compile(prefix: str, tmp_path: Path) -> None:
    (x,) = da.parameters("x")
    text = source([trace("RESTRICT", {"x": x, "ARM_RESTRICT": []}, {"y": x})], prefix=prefix)
    compile_quietly(text, tmp_path)
    assert {path.parent for path in text.save(tmp_path)} == {tmp_path}


def test_comments_cannot_end() -> None:
    assert comment_text("a*/b??/\\\nñ") == "aU+002A/bU+003FU+003F/U+005CU+000AU+00F1"
    assert len(comment_text("x" * 1000)) < 200


# ---- literals


def test_literals_read_back(rng: np.random.Generator) -> None:
    for _ in range(500):
        value = Fraction(int(rng.integers(-(10**9), 10**9)), int(rng.integers(1, 10**9)))
        value *= Fraction(10) ** int(rng.integers(-30, 20))
        assert float(literal(value, REALS["float64"])) == value.numerator / value.denominator
        single = literal(value, REALS["float32"])
        assert single.endswith("f")
        assert np.float32(single[:-1]) == np.float32(float(value))
    # C reads 1 as a whole number and 1f not at all
    assert literal(Fraction(1), REALS["float32"]) == "1.0f"
    assert "." in literal(1e16, REALS["float64"]) or "e" in literal(1e16, REALS["float64"])


@pytest.mark.parametrize(("value", "dtype"), [(10**400, "float64"), (10**39, "float32")])
def test_constant_too_large_is_refused(value: int, dtype: str) -> None:
    (x,) = da.parameters("x")
    with pytest.raises(
        InvalidExpression, match=f"fit into a C {REALS[dtype].type}, got one near 2\\^1"
    ):
        source([trace("f", {"x": x}, {"y": x + value})], prefix="p", dtype=dtype)


# ---- the text


def test_header_says_what_the_arrays_are() -> None:
    arm = da.textbook.robots.panda()
    text = source(programs(arm), prefix="panda", robot=arm.name, arrays=mechanism_arrays(arm))
    flops = programs(arm)[1].cost.flops
    for phrase in (
        "in  q[7]: positions",
        "[rad/s]",
        "out M[49] = 7 x 7: mass matrix",
        f"Cost: {flops} flops",
        "must not overlap",
        f"{arm.name}: straight-line dynamics",
        f"dalembert {da.__version__}",
    ):
        assert phrase in text.header
    assert da.__version__ in text.source


def test_same_bytes_in_every_process(tmp_path: Path) -> None:
    script = (
        "import dalembert as da, hashlib\n"
        "from tests.unit.kernel.backends.c.test_flat import programs, source\n"
        "from dalembert.model.source.rolled_c import rolled_source\n"
        "arm = da.textbook.robots.stanford_arm()\n"
        "text = [*source(programs(arm), prefix='r'), *rolled_source(arm, prefix='s')]\n"
        "print(hashlib.sha256(repr(text).encode()).hexdigest())\n"
    )
    said = set()
    path = os.pathsep.join([os.getcwd(), *sys.path])
    for seed in ("0", "7"):
        command = ("env", f"PYTHONHASHSEED={seed}", f"PYTHONPATH={path}", sys.executable)
        said.add(run(*command, "-c", script))
    assert len(said) == 1


def test_two_programs_of_one_name_are_refused() -> None:
    (x,) = da.parameters("x")
    program = trace("f", {"x": x}, {"y": x})
    with pytest.raises(InvalidExpression, match="different names, got 2 called 'f'"):
        source([program, program], prefix="p")
    assert "p_g" in source([program, replace(program, name="g")], prefix="p").header


def test_no_program_is_refused() -> None:
    with pytest.raises(InvalidExpression, match="expected programs"):
        source([], prefix="p")


def test_unknown_type_is_refused() -> None:
    (x,) = da.parameters("x")
    with pytest.raises(UnknownName, match="expected dtype float64 or float32, got 'half'"):
        source([trace("f", {"x": x}, {"y": x})], prefix="p", dtype="half")
