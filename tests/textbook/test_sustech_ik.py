"""SUSTech ME331, section 11: numerical inverse kinematics of a 2R arm, both tables row by row."""

from __future__ import annotations

import math

import pytest

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.ik import Global, NewtonRaphson, PositionTask, PseudoInverse, Transpose, solve_ik

TARGET = (0.2, 1.3)
STEP = 0.75

JACOBIAN_INVERSE = """
1   -0.33284  2.6711
2    0.80552  2.1025
3    0.46906  1.9316
4    0.53554  1.7697
5    0.55729  1.7227
6    0.56308  1.7104
7    0.56455  1.7073
8    0.56492  1.7065
9    0.56501  1.7063
10   0.56503  1.7062
"""

# numbered as the iterates are; the slides number the last rows 26 to 29 (see the errata)
JACOBIAN_TRANSPOSE = """
1    1.8362   1.3412
2    0.4667   1.1025
3    1.1215   1.6233
4    0.45264  1.415
5    0.83519  1.7273
27   0.56522  1.7063
28   0.56492  1.7061
29   0.56514  1.7063
30   0.56498  1.7062
"""


@pytest.fixture(scope="module")
def arm() -> da.Model:
    """Two links of length one; masses do not matter."""
    mechanism = da.textbook.robots.planar_arm_nr(2)
    return da.compile(mechanism, parameters=dict.fromkeys(mechanism.parameters, 1))


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def printed(x: float) -> str:
    """Return five digits without trailing zeros, as the slides print."""
    return f"{x:.5g}"


def test_jacobian_inverse(arm: da.Model) -> None:
    method = NewtonRaphson(step=STEP, iterations=10)
    found = solve_ik(arm, PositionTask("tip", TARGET, axes="xy"), (0.25, 0.75), method=method)
    assert found.history is not None
    for k, *angles in rows(JACOBIAN_INVERSE):
        assert [printed(x) for x in found.history.q[int(k)]] == angles
    # "converges to within 1e-4 of the exact solution after 10 iterations"
    exact = solution()
    assert max(abs(a - b) for a, b in zip(found.q, exact, strict=True)) < 1e-4


def test_jacobian_transpose(arm: da.Model) -> None:
    method = Transpose(step=STEP, iterations=31)
    found = solve_ik(arm, PositionTask("tip", TARGET, axes="xy"), (0.3, 0.4), method=method)
    assert found.history is not None
    for k, *angles in rows(JACOBIAN_TRANSPOSE):
        assert [printed(x) for x in found.history.q[int(k)]] == angles
    # the last row is printed with four decimals, of which 0.5650 is cut off, not rounded
    first, second = found.history.q[31]
    assert (math.floor(1e4 * first) / 1e4, round(second, 4)) == (0.5650, 1.7062)


Q1, Q2 = da.coordinates("q1 q2")
TIP = [da.cos(Q1) + da.cos(Q1 + Q2), da.sin(Q1) + da.sin(Q1 + Q2)]


@pytest.mark.parametrize(
    ("method", "start", "table"),
    [
        (NewtonRaphson(step=STEP, iterations=10), (0.25, 0.75), JACOBIAN_INVERSE),
        (PseudoInverse(step=STEP, iterations=10), (0.25, 0.75), JACOBIAN_INVERSE),
        (Transpose(step=STEP, iterations=31), (0.3, 0.4), JACOBIAN_TRANSPOSE),
    ],
)
def test_plain_functions_give_the_same_tables(method, start, table) -> None:
    """The slides have functions, no robot."""
    found = solve_ik(TIP, TARGET, start, method=method)
    assert found.history is not None
    assert found.history.names == ("q1", "q2")
    for k, *angles in rows(table):
        assert [printed(x) for x in found.history.q[int(k)]] == angles
    named = da.solve_ik(da.Matrix.column(TIP), TARGET, {Q1: start[0], Q2: start[1]}, method=method)
    assert (named.q == found.q).all()


def test_functions_in_batches_and_with_other_unknowns() -> None:
    targets = [[0.2, 1.3], [1.0, 1.0], [3.0, 3.0]]
    found = solve_ik(TIP, targets, (0.5, 1.5))
    assert found.ok.tolist() == [True, True, False]
    assert found.q[0] == pytest.approx(solution(), abs=1e-9)
    assert found.status[2].startswith("iteration limit: |e| = 2.24")
    assert found.history is None
    # a length as the unknown, an angle as a number: a = √2 at 45°
    (a,) = da.parameters("a")
    length = solve_ik([a * da.cos(Q1)], [1], {a: 1.0, Q1: math.pi / 4}, method=Transpose())
    assert length.ok
    only = solve_ik([(a * da.cos(Q1)).subs({Q1: da.pi / 4})], [1], {a: 1.0})
    assert only.q == pytest.approx([math.sqrt(2)])


def test_a_singular_start_of_functions_is_named() -> None:
    found = solve_ik(TIP, TARGET, (0.25, 0.0), method=NewtonRaphson())
    assert found.status.startswith("singular: ")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: solve_ik(TIP, [1, 2, 3]), "f1, f2"),
        (lambda: solve_ik([da.parameters("a")[0] * Q1], [1]), "got a in the functions"),
        (lambda: solve_ik([Q1 - Q1 + da.pi], [1]), "functions of coordinates"),
        (lambda: solve_ik(TIP, TARGET, {"x": 1}), "got x"),
        (lambda: solve_ik(TIP, TARGET, {Q1: [1, 2], Q2: [1, 2, 3]}), "broadcast"),  # type: ignore[list-item]
        (lambda: solve_ik(TIP, TARGET, method=Global()), "step by step"),
        (lambda: solve_ik(TIP, TARGET, frame="tip"), "beside functions"),  # type: ignore[arg-type]
        (lambda: solve_ik([], TARGET), "expected a model"),
    ],
)
def test_functions_that_cannot_be_solved(call, words) -> None:
    with pytest.raises(DalembertError, match=words):
        call()


def test_transpose_does_not_start_at_the_printed_guess(arm: da.Model) -> None:
    method = Transpose(step=STEP, iterations=1)
    found = solve_ik(arm, PositionTask("tip", TARGET, axes="xy"), (0.25, 0.75), method=method)
    assert [printed(x) for x in found.q] != rows(JACOBIAN_TRANSPOSE)[0][1:]


def test_table_prints_the_rows(arm: da.Model) -> None:
    method = NewtonRaphson(step=STEP, iterations=10)
    found = solve_ik(arm, PositionTask("tip", TARGET, axes="xy"), (0.25, 0.75), method=method)
    head, start, *lines = str(found.history).splitlines()
    assert head.split() == ["Iteration", "joint1", "joint2", "|e|"]
    assert start.split()[:3] == ["0", "0.25", "0.75"]
    assert [line.split()[:3] for line in lines] == rows(JACOBIAN_INVERSE)


def test_exact_solution(arm: da.Model) -> None:
    assert [f"{x:.4f}" for x in solution()] == ["0.5650", "1.7062"]
    target = PositionTask("tip", TARGET, axes="xy")
    found = solve_ik(arm, target, (0.25, 0.75), method=NewtonRaphson(step=STEP))
    assert found.ok
    assert found.q == pytest.approx(solution(), abs=1e-9)


def solution() -> tuple[float, float]:
    """Return the elbow-down solution of the arm with unit links in closed form."""
    x, y = TARGET
    elbow = math.acos((x * x + y * y - 2) / 2)
    return math.atan2(y, x) - math.atan2(math.sin(elbow), 1 + math.cos(elbow)), elbow
