"""Where a function asks for an orientation, four numbers of another length are refused."""

from __future__ import annotations

import pickle
import shutil
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.kernel.backends.llvm.host import this_host

BACKENDS = (
    "llvm",
    "numpy",
    pytest.param("c", marks=pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")),
)
BODY: Any = {"mass": 2, "inertia": (0.1, 0.2, 0.25)}


def satellite() -> da.Mechanism:
    """Return a free body that carries a ball, with a hinge between: two quaternions in q."""
    builder = da.Builder("satellite").link("hull", **BODY).floating("free", "hull")
    builder.link("arm", **BODY).revolute("hinge", "arm", parent="hull", axis="y")
    return builder.link("ball", **BODY).spherical("socket", "ball", parent="arm").build()


def crawler() -> da.Mechanism:
    """Return a free body with so many hinges that its programs are compiled in pieces."""
    builder = da.Builder("crawler").link("l0", **BODY).floating("free", "l0")
    for k in range(1, 12):
        builder.link(f"l{k}", com=(0.1, 0, 0.2), **BODY)
        builder.revolute(f"j{k}", f"l{k}", parent=f"l{k - 1}", axis="xyz"[k % 3])
    return builder.build()


def call(model: da.Model, name: str, q: Any) -> Any:
    rest = {"mass_matrix": 0, "bias": 1, "inverse_dynamics": 2, "forward_dynamics": 2}[name]
    lead = np.shape(q)[:-1]
    kind = model.dtype
    return getattr(model, name)(q, *[np.full((*lead, model.nv), 0.25, kind)] * rest)


@pytest.mark.parametrize("backend", BACKENDS)
def test_another_length_is_refused_wherever_it_stands(backend: str) -> None:
    model = da.compile(satellite(), backend)
    assert model.configuration.quaternions == (3, 8)
    good = model.configuration.random(7)
    lanes = this_host().width
    for start in (3, 8):
        bad = good.copy()
        bad[start : start + 4] *= 1.24
        for count in (0, 1, 2, lanes, lanes + 1, 5 * lanes + 3):
            for place in {0, count // 2, count - 1} if count else {0}:
                q = np.tile(good, (count, 1)) if count else bad
                if count:
                    q[place] = bad
                of = rf" of sample \[{place}\]" if count else ""
                words = (
                    rf"unit quaternion in q\[{start}:{start + 4}\]{of} of mass_matrix, got .*1.24"
                )
                # the first call compiles, the others are compiled
                for given in (q, q, q.tolist(), np.asfortranarray(q)):
                    with pytest.raises(EvaluationError, match=words):
                        model.mass_matrix(given)
                if count:
                    assert model.mass_matrix(np.tile(good, (count, 1))).shape == (count, 10, 10)


@pytest.mark.parametrize("name", ["mass_matrix", "bias", "inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_programs_in_pieces_too(name: str, dtype: str) -> None:
    model = da.compile(crawler(), dtype=dtype)
    q = model.configuration.random(3, 37).astype(dtype)
    assert np.isfinite(call(model, name, q)).all()
    q[11, 3:7] *= 0.9
    for _ in range(2):
        with pytest.raises(EvaluationError, match=r"sample \[11\] of .* got the length 0\.9"):
            call(model, name, q)
        with pytest.raises(EvaluationError, match=r"q\[3:7\] of .* got the length 0\.9"):
            call(model, name, q[11])


def test_every_function_of_a_configuration_asks_for_it() -> None:
    model = da.compile(satellite())
    names = ("coriolis", "gravity", "kinetic_energy", "forward_dynamics_derivatives")
    for name in names:
        assert model.program(name).units == ((0, 3), (0, 8))
    frames = model.program("jacobian", frame="ball")
    assert frames.units == ((0, 3), (0, 8))
    assert da.compile(da.textbook.robots.ur5e()).program("mass_matrix").units == ()


@pytest.mark.parametrize("backend", BACKENDS)
def test_six_decimals_are_enough(backend: str) -> None:
    model = da.compile(satellite(), backend)
    q = np.round(model.configuration.random(5, 50), 6)
    assert np.isfinite(model.bias(q, np.ones((50, 10)))).all()
    # and what is not finite is still called so
    q[4, 5] = np.nan
    with pytest.raises(EvaluationError, match=r"expected finite numbers .* q\[4, 5\]"):
        model.bias(q, np.ones((50, 10)))


def test_given_arrays_are_guarded_too() -> None:
    model = da.compile(satellite())
    q, out = model.configuration.random(2), np.zeros((10, 10))
    for _ in range(3):
        assert model.mass_matrix(q, out=out) is out
        with pytest.raises(EvaluationError, match="unit quaternion"):
            model.mass_matrix(1.01 * q, out=out)


def test_normalized_makes_them_right() -> None:
    model = da.compile(satellite())
    q = 3 * model.configuration.random(2)
    found = model.mass_matrix(model.configuration.normalized(q))
    assert np.linalg.eigvalsh(found).min() > 0


def test_complex_steps_pass() -> None:
    """Their length is not one, and their results are derivatives."""
    model = da.compile(satellite(), "numpy")
    q = model.configuration.random(2) + 0j
    q[3] += 1e-30j
    assert np.isfinite(model.mass_matrix(q)).all()


def test_programs_keep_it_on_their_way() -> None:
    program = da.compile(satellite()).program("bias")
    again = pickle.loads(pickle.dumps(program))
    assert again == program
    assert again.units == ((0, 3), (0, 8))
    bare = again.__class__(
        *[getattr(again, x) for x in ("name", "inputs", "outputs", "code", "results")]
    )
    # code without the guard is other code
    assert bare.digest != program.digest


# ---- masked arrays


def hidden(numbers: Any) -> Any:
    """Return numbers of which the second of each row is hidden."""
    mask = np.zeros(numbers.shape, bool)
    mask[..., 1] = True
    return np.ma.masked_array(numbers, mask=mask)


@pytest.mark.parametrize("backend", BACKENDS)
def test_hidden_numbers_are_not_used(backend: str) -> None:
    model = da.compile(da.textbook.robots.ur5e(), backend)
    q = hidden(np.ones(6))
    batch = hidden(np.ones((20, 6)))
    for _ in range(2):
        for given in (q, batch):
            with pytest.raises(EvaluationError, match=r"for q of mass_matrix, got a masked array"):
                model.mass_matrix(given)
        assert model.mass_matrix(q.data).shape == (6, 6)
        assert model.mass_matrix(batch.filled()).shape == (20, 6, 6)
    if backend != "numpy":
        out = np.zeros((6, 6))
        with pytest.raises(EvaluationError, match="masked array"):
            model.mass_matrix(q, out=out)
        with pytest.raises(EvaluationError, match="masked"):
            model.mass_matrix(q.data, out=np.ma.masked_array(out))


def test_a_start_has_no_hidden_numbers() -> None:
    model = da.compile(da.textbook.robots.ur5e())
    q = hidden(np.zeros(6))
    with pytest.raises(EvaluationError, match="masked"):
        da.simulate(model, q, None, 0.1)


def test_other_arrays_are_read_as_before() -> None:
    model = da.compile(da.textbook.robots.ur5e())
    q = np.linspace(0, 1, 6)
    expected = model.mass_matrix(q)

    class Named(np.ndarray):
        """A class of somebody else."""

    others: list[Any] = [q.tolist(), q.view(Named), q.data, q.astype(">f8"), q[::-1][::-1]]
    for given in others:
        for _ in range(2):
            assert (model.mass_matrix(given) == expected).all()
