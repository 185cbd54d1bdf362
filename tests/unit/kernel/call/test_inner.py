"""Turns inside a step: as many as a sample needs, whatever lanes and backends run them."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidExpression
from dalembert.kernel.backends.llvm.host import this_host
from dalembert.kernel.backends.llvm.write import kernel_text, pieces
from dalembert.kernel.backends.llvm.write.loop import loop_text
from dalembert.kernel.backends.numpy.loop import run_reference
from dalembert.kernel.call.inner import Inner
from dalembert.kernel.call.loop import Loop
from dalembert.kernel.compiler import Target, compile_program
from dalembert.kernel.iteration import Iteration, compile_iteration

TOLERANCE = 1e-13
MOST = 12
BATCHES = [(), (1,), (7,), (8,), (9,), (41,), (3, 5), (0,)]


def kepler(most: int = MOST, stop: str | None = None, sequences: tuple[str, ...] = ()) -> Loop:
    """Steps of Kepler's equation: M' = M + n u, and E - e sin E = M by Newton's method.

    Each step starts from E = M and turns until |ΔE| ≤ 1e-6. What belongs to the turns alone, e², is
    the same in all of them.
    """
    M, n, e, u, E, size = da.parameters("M n e u E size")
    mean = M + n * u
    change = (mean - E + e * da.sin(E)) / (1 - e * da.cos(E)) * (1 + 0 * e**2)
    turns = Iteration(
        state={"E": [E], "taken": [size]},
        start={"E": [mean], "taken": [da.expr.as_expr(0)]},
        turn={"E": [E + change], "taken": [size + 1]},
        stop=da.expr.abs_(change) - 1e-6,
        most=most,
    )
    outputs = {
        "M_next": mean,
        "place": [da.cos(E) - e, da.sqrt(1 - e**2) * da.sin(E)],
        "turns": size,
        "left": 40 - mean,
    }
    inputs = {"M": M, "n": n, "e": e, "u": u}
    program, inner = compile_iteration(outputs, inputs, turns, "kepler")
    return Loop(program, (("M_next", "M"),), stop, sequences, inner)


def by_hand(
    M: float, n: float, e: float, u: np.ndarray, most: int, stop: bool
) -> tuple[float, list[float], int, int]:
    """Return mean anomaly, place and turns of the last step, and how many steps there were."""
    place, taken = [0.0, 0.0], 0
    for k, push in enumerate(u):
        M = M + n * push
        E = M
        taken, change = 0, 1.0
        while taken < most and abs(change) > 1e-6:
            change = (M - E + e * math.sin(E)) / (1 - e * math.cos(E))
            E, taken = E + change, taken + 1
        place = [math.cos(E) - e, math.sqrt(1 - e * e) * math.sin(E)]
        if stop and not 40 - M > 0:
            return M, place, taken, k + 1
    return M, place, taken, len(u)


def given(rng: np.random.Generator, batch: tuple[int, ...], steps: int) -> list[np.ndarray]:
    M, n = rng.uniform(-3, 3, batch), rng.uniform(0, 2, batch)
    return [M, n, rng.uniform(0, 0.95, batch), rng.uniform(0.5, 1.5, (*batch, steps))]


@pytest.mark.parametrize("stop", [None, "left"])
@pytest.mark.parametrize("most", [1, 3, MOST])
@pytest.mark.parametrize("backend", ["numpy", "llvm"])
def test_turns_of_every_batch(
    backend: str, most: int, stop: str | None, rng: np.random.Generator
) -> None:
    steps = 23
    run = Target(backend).loop(kepler(most, stop, ("u",)))
    for batch in BATCHES:
        arrays = given(rng, batch, steps)
        found = run(*arrays, steps=steps)
        flat = [a.reshape(-1, *a.shape[len(batch) :]) for a in (*arrays, *found.outputs)]
        taken = found.steps.reshape(-1)
        for i in range(math.prod(batch)):
            M, n, e, u = (a[i] for a in flat[:4])
            last, place, turns, count = by_hand(M, n, e, u, most, stop is not None)
            np.testing.assert_allclose(flat[4][i], last, rtol=TOLERANCE)
            if most == MOST:
                # few turns end far away, where rounding grows
                np.testing.assert_allclose(flat[5][i], place, rtol=0, atol=1e-9)
                assert flat[6][i] == turns
            assert taken[i] == count


def test_lanes_turn_as_often_as_each_needs(rng: np.random.Generator) -> None:
    run = Target("llvm").loop(kepler())
    eccentricities = np.array([0.0, 0.1, 0.5, 0.9, 0.99, 0.3, 0.0, 0.7, 0.95])
    found = run(np.full(9, 0.3), 1.0, eccentricities, 0.05, steps=1)
    alone = [run(0.3, 1.0, e, 0.05, steps=1).outputs[2] for e in eccentricities]
    np.testing.assert_array_equal(found.outputs[2], alone)
    assert found.outputs[2][0] == 1
    assert len(set(found.outputs[2])) > 3


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_in_pieces(dtype: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_text, "LONG", 3)
    monkeypatch.setattr(kernel_text, "LONG_BATCH", 3)
    monkeypatch.setattr(pieces, "PIECE", 6)
    loop = kepler(stop="left", sequences=("u",))
    text = loop_text(loop, 4, this_host())
    for part in ("state", "turn", "after"):
        assert f"@{part}_piece0" in text
    run = Target("llvm", dtype=dtype).loop(loop)
    arrays = [a.astype(dtype) for a in given(rng, (21,), 9)]
    expected = run_reference(loop, arrays, 9, 2)
    found = run(*arrays, steps=9, record=2)
    tolerance = 1e-9 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(found.outputs[0], expected[0][0], rtol=tolerance)
    np.testing.assert_allclose(found.outputs[1], expected[0][1], rtol=0, atol=10 * tolerance)
    np.testing.assert_allclose(found.records[0], expected[2][0], rtol=tolerance)


def test_what_no_turn_changes_is_computed_before() -> None:
    loop = kepler()
    assert loop.inner is not None
    # e² is no part of a turn, √(1 - e²) none of what is behind
    assert {i.op for i in loop.inner.turn.code} & {"sqrt", "pow"} == set()
    assert "sqrt" in {i.op for i in loop.inner.start.code}
    assert "sqrt" not in {i.op for i in loop.program.code}


def test_a_number_that_is_none_ends_the_turns() -> None:
    (x, y) = da.parameters("x y")
    turns = Iteration({"y": [y]}, {"y": [x]}, {"y": [da.sqrt(y - 1)]}, da.sqrt(y - 1), 50)
    program, inner = compile_iteration({"z": y}, {"x": x}, turns, "root")
    for backend in ("numpy", "llvm"):
        run = Target(backend).loop(Loop(program, (), inner=inner))
        found = run(np.full(9, 1.5), steps=1)
        assert not found.is_finite


def test_pickles_and_refusals() -> None:
    loop = kepler()
    again = pickle.loads(pickle.dumps(loop))
    assert str(again) == str(loop)
    assert again.inner.most == MOST
    (x, y) = da.parameters("x y")
    with pytest.raises(InvalidExpression, match="as many expressions"):
        Iteration({"y": [y]}, {"y": [x, x]}, {"y": [y]}, y, 3)
    one = compile_program({"a": [x]}, {"x": x})
    turn = compile_program({"b": [y], "r": y}, {"a": [y]})
    with pytest.raises(InvalidExpression, match="turns from 1"):
        Inner(one, turn, (("b", "a"),), "r", 0)
    with pytest.raises(InvalidExpression, match="an output and an input of the turn"):
        Inner(one, turn, (("c", "a"),), "r", 1)
    with pytest.raises(InvalidExpression, match="of one shape"):
        Inner(one, turn, (("r", "a"),), "r", 1)
    with pytest.raises(InvalidExpression, match="one number of the turn"):
        Inner(one, turn, (("b", "a"),), "s", 1)
    with pytest.raises(InvalidExpression, match="among the outputs of the start"):
        Inner(turn, one, (), "a", 1)
    good = Inner(one, turn, (("b", "a"),), "r", 1)
    with pytest.raises(InvalidExpression, match="of the loop, the start or the turn, got none"):
        Loop(compile_program({"z": x}, {"w": x}), (), inner=good)
