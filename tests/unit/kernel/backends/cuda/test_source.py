"""The CUDA text computes what the program says: in every layout, to the last sample."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dalembert.errors import InvalidExpression, UnknownName
from dalembert.kernel.backends.cuda.source import cuda_source, shared_bytes
from dalembert.kernel.program.program import ARITY, PI, Instruction, Port, Program
from tests.unit.kernel.backends.cuda.emulator import Emulator

# a few roundings of each operation
TOLERANCE = {"float32": 2e-6, "float64": 4e-15}

I = Instruction


def every_operation() -> Program:
    """Each operation once, on a pair (a, b) in (0.1, 0.9)²."""
    code = [
        I("input", (), (0, 0)),
        I("input", (), (0, 1)),
        I("const", (), Fraction(-1, 3)),
        I("const", (), PI),
        I("sincos", (0,)),
        I("sin_of", (4,)),
        I("cos_of", (4,)),
    ]
    for op, arity in ARITY.items():
        if op not in ("const", "input", "pow", "sincos", "sin_of", "cos_of"):
            code.append(I(op, (0, 1, 2)[:arity]))
    for power in ("2", "-1", "-3", "7", "-1/2", "2/3"):
        code.append(I("pow", (1,), Fraction(power)))
    results = [k for k in range(2, len(code)) if code[k].op != "sincos"]
    return Program(
        "all", (Port("x", (2,)),), (Port("y", (len(results),)),), tuple(code), tuple(results)
    )


def expected(x: np.ndarray) -> np.ndarray:
    """Return the same by NumPy in double precision."""
    a, b = x.astype(float).T
    c = np.full_like(a, -1 / 3)
    values = [c, np.full_like(a, np.pi), np.sin(a), np.cos(a)]
    values += [a + b, a - b, a * b, a / b, -a, a * b + c, a * b - c, c - a * b, np.sqrt(a)]
    values += [np.sin(a), np.cos(a), np.tan(a), np.arcsin(a), np.arccos(a), np.arctan2(a, b)]
    values += [np.exp(a), np.log(a), np.tanh(a), np.abs(a), np.sign(a)]
    values += [b**p for p in (2.0, -1.0, -3.0, 7.0, -0.5, 2 / 3)]
    return np.stack(values, -1)


@pytest.mark.parametrize(
    ("dtype", "access"),
    [
        ("float32", ()),
        ("float32", ("rows", "direct")),
        ("float64", ("rows", "rows")),
        ("float64", ("staged", "staged")),
        ("float64", ("rows", "slots")),
        ("float32", ("direct", "local")),
    ],
)
@pytest.mark.parametrize("longest", [1000, 7])
def test_every_operation(
    dtype: str,
    access: tuple[str, ...],
    longest: int,
    rng: np.random.Generator,
    tmp_path: Path,
) -> None:
    """300 samples on two blocks of 128: a loop and a rest; in one function and in pieces."""
    program = every_operation()
    n, N = len(program.results), 300
    x = rng.uniform(0.1, 0.9, (N, 2)).astype(dtype)
    y = np.full((N, n), np.nan, dtype)
    source = cuda_source(program, dtype, "k", access=access, max_instructions=longest)
    assert ("piece1(" in source) is (longest == 7)
    assert Emulator(source, "k", 2, tmp_path).run([x, y], [(2, 1), (n, 1)], N) == 0
    np.testing.assert_allclose(y, expected(x), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize(
    "access", [(), ("direct", "staged", "direct"), ("direct", "rows", "rows"), ("rows",) * 3]
)
def test_layouts(access: tuple[str, ...], rng: np.random.Generator, tmp_path: Path) -> None:
    """y = M x with M of each sample or of all, structures of arrays and rows, any length."""
    code = [I("input", (), (0, k)) for k in range(6)] + [I("input", (), (1, k)) for k in range(3)]
    results = []
    for i in range(2):
        code.append(I("mul", (3 * i, 6)))
        code.append(I("fma", (3 * i + 1, 7, len(code) - 1)))
        code.append(I("fma", (3 * i + 2, 8, len(code) - 1)))
        results.append(len(code) - 1)
    ports = (Port("M", (2, 3)), Port("x", (3,))), (Port("y", (2,)),)
    program = Program("affine", *ports, tuple(code), tuple(results))
    kernel = Emulator(cuda_source(program, "float64", access=access), "affine", 3, tmp_path)
    for N in (1, 31, 32, 33, 257):
        packed, each = "rows" in access, access[:1] == ("rows",)
        M = rng.uniform(-1, 1, (N if each else 1, 2, 3))
        x = rng.uniform(-1, 1, (N, 3))
        # nothing before and behind the outputs is touched
        guarded = np.full((N + 2, 2), 7.0)
        memory = guarded[1:-1]
        if packed:
            arrays, layouts = [M, x, memory], [(6 if each else 0, 1), (3, 1), (2, 1)]
        else:
            arrays, layouts = [M, x.T.copy(), memory], [(0, 1), (1, N), (1, N)]
        assert kernel.run(arrays, layouts, N, blocks=1) == 0
        y = memory if packed else memory.reshape(2, N).T
        truth = np.einsum("nij,nj->ni", np.broadcast_to(M, (N, 2, 3)), x)
        np.testing.assert_allclose(y, truth, rtol=1e-13, atol=1e-15)
        assert (guarded[[0, -1]] == 7.0).all()


@pytest.mark.parametrize("access", [(), ("rows", "rows")])
def test_flag_of_values_that_are_not_finite(access: tuple[str, ...], tmp_path: Path) -> None:
    """1/x at x = 0 raises the flag with its sample; the sign of a NaN is a NaN."""
    code = (
        I("input", (), (0, 0)),
        I("input", (), (0, 1)),
        I("pow", (0,), Fraction(-1)),
        I("sign", (1,)),
    )
    program = Program("f", (Port("x", (2,)),), (Port("y", (2,)),), code, (2, 3))
    kernel = Emulator(cuda_source(program, "float64", access=access), "f", 2, tmp_path)
    x = np.tile([2.0, -3.0], (40, 1))
    y = np.empty_like(x)
    assert kernel.run([x, y], [(2, 1), (2, 1)], 40) == 0
    np.testing.assert_array_equal(y, np.tile([0.5, -1.0], (40, 1)))
    x[35] = 0.0
    assert kernel.run([x, y], [(2, 1), (2, 1)], 40) == 36
    assert np.isinf(y[35, 0])
    assert y[35, 1] == 0.0
    x[35] = 1.0, np.nan
    assert kernel.run([x, y], [(2, 1), (2, 1)], 40) == 36
    assert np.isnan(y[35, 1])


def test_names_are_only_names() -> None:
    """No name of a model reaches the compiler as code."""
    evil = 'k(){} /* "\n'
    code = (I("input", (), (0, 0)),)
    program = Program(evil, (Port("*/ evil /*", ()),), (Port("\\\n*/", ()),), code, (0,))
    text = cuda_source(program)
    assert text.isascii()
    assert text.count("*/") == text.count("/*") == 2
    assert "k(){}" not in text.replace("// k(){}", "")


def test_same_text_every_time() -> None:
    assert cuda_source(every_operation()) == cuda_source(every_operation())
    assert "sincosf(" in cuda_source(every_operation())
    assert "sincos(" in cuda_source(every_operation(), "float64")


def test_shared_memory_has_odd_rows() -> None:
    """4 warps of 32 rows, 2 padded to 3, of 8 bytes; nothing without rows."""
    code = (I("input", (), (0, 0)),)
    program = Program("f", (Port("x", (2,)),), (Port("y", ()),), code, (0,))
    assert shared_bytes(program, "float64", ("rows", "direct")) == 4 * 32 * 3 * 8
    assert shared_bytes(program, "float32", ("staged", "direct"), 64) == 2 * 32 * 2 * 4
    assert shared_bytes(program, "float64", ()) == 0


def test_refusals() -> None:
    program = every_operation()
    with pytest.raises(UnknownName, match="float64 or float32, got 'float16'"):
        cuda_source(program, "float16")
    huge = program.with_code([I("const", (), Fraction(10) ** 40)], [0] * len(program.results))
    with pytest.raises(InvalidExpression, match="fit into a C float"):
        cuda_source(huge)
    assert "1e+40" in cuda_source(huge, "float64")


@pytest.mark.parametrize("way", ["slots", "local"])
@pytest.mark.parametrize("is_batch_last", [False, True])
def test_slots_spread_equal_results(
    way: str, is_batch_last: bool, rng: np.random.Generator, tmp_path: Path
) -> None:
    """A symmetric matrix x xᵀ with a row of zeros; every place is written, nothing beside it."""
    n = 9
    code = [I("input", (), (0, k)) for k in range(n - 1)] + [I("const", (), Fraction(0))]
    pairs = {(i, j): 0 for i in range(n) for j in range(i + 1)}
    for i, j in pairs:
        if i < n - 1:
            code.append(I("mul", (i, j)))
        pairs[i, j] = len(code) - 1 if i < n - 1 else n - 1
    results = tuple(pairs[max(i, j), min(i, j)] for i in range(n) for j in range(n))
    ports = (Port("x", (n - 1,)),), (Port("M", (n, n)),)
    program = Program("f", *ports, tuple(code), results)
    kernel = Emulator(cuda_source(program, "float64", access=("rows", way)), "f", 2, tmp_path)
    for N in (1, 31, 32, 33, 150):
        x = rng.uniform(-1, 1, (N, n - 1))
        memory = np.full(n * n * (N + 2), 7.0)
        y = memory[n * n : -n * n].reshape((n * n, N) if is_batch_last else (N, n * n))
        assert kernel.run([x, y], [(n - 1, 1), (1, N) if is_batch_last else (n * n, 1)], N) == 0
        found = (y.T if is_batch_last else y).reshape(N, n, n)
        x = np.append(x, np.zeros((N, 1)), axis=1)
        assert np.array_equal(found, x[:, :, None] * x[:, None, :])
        assert (memory[: n * n] == 7).all()
        assert (memory[-n * n :] == 7).all()
