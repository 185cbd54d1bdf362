"""Why M ⪰ 0 is proved, and that it never is where it is false."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanics.proofs import mass_matrix
from tests.oracles import random_values

x, y, q = da.coordinates("x y q")
m, k, I = da.parameters("m k I")


def verdict(eq: da.Equations) -> da.Proof:
    return next(p for p in eq.prove() if p.statement == "M ⪰ 0")


def body(mass, inertia) -> da.Equations:
    spinning = da.Body(mass, (x, y, 0), inertia, da.rotation_z(q), accept_nonphysical=True)
    return da.System.from_bodies([spinning], coordinates=[x, y, q]).equations()


NEGATIVE = {
    "mass": lambda: da.System.from_bodies(
        [da.Body(-1, (x, y), accept_nonphysical=True)], coordinates=[x, y]
    ).equations(),
    "symbolic mass": lambda: da.System.from_particles(
        [-m], [(x, y)], coordinates=[x, y]
    ).equations(),
    "one of two masses": lambda: da.System.from_bodies(
        [da.Body(m, (x, 0)), da.Body(-2, (0, y), accept_nonphysical=True)], coordinates=[x, y]
    ).equations(),
    "planar inertia": lambda: da.System.from_bodies(
        [da.Body(m, (x, y), -I, q)], coordinates=[x, y, q]
    ).equations(),
    "inertia tensor": lambda: body(m, da.Matrix.diagonal([1, 1, -1])),
    "difference of squares": lambda: da.System(
        kinetic=x.dot**2 - y.dot**2, coordinates=[x, y]
    ).equations(),
    "mixed term too large": lambda: da.System(
        kinetic=x.dot**2 / 2 + 2 * x.dot * y.dot + y.dot**2 / 2, coordinates=[x, y]
    ).equations(),
    "sign of a coordinate": lambda: da.System(kinetic=x * x.dot**2, coordinates=[x]).equations(),
}


@pytest.mark.parametrize("case", NEGATIVE)
def test_negative_inertia_is_refuted(case):
    eq = NEGATIVE[case]()
    proof = verdict(eq)
    assert proof.verdict == "refuted"
    assert proof.counterexample is not None
    at = {x: float(v) for x, v in proof.counterexample.items()}
    assert np.linalg.eigvalsh(eq.M.evaluate(at)).min() < 0
    assert not any(p.is_proved for p in eq.prove() if p.statement.startswith("M ≻ 0"))


def test_negative_products_of_inertia():
    # positive diagonal, but Ixy is too large: with ω = (ẋ cos y, ẏ, ẋ sin y) in the body,
    # M = [[1, 2 cos y], [2 cos y, 1]]
    tensor = da.Matrix([[1, 2, 0], [2, 1, 0], [0, 0, 1]])
    gimbal = da.Body(
        0, (0, 0, 0), tensor, da.rotation_x(x) @ da.rotation_y(y), accept_nonphysical=True
    )
    eq = da.System.from_bodies([gimbal], coordinates=[x, y]).equations()
    assert da.equal(eq.M, [[1, 2 * da.cos(y)], [2 * da.cos(y), 1]])
    proof = verdict(eq)
    assert proof.verdict == "refuted"
    assert proof.counterexample is not None
    assert abs(2 * np.cos(float(proof.counterexample[y]))) > 1


POSITIVE = {
    "particles": lambda: da.System.from_particles(
        [m, k], [(x, y), (x * y, 0)], coordinates=[x, y]
    ).equations(),
    "body": lambda: body(m, da.Matrix.diagonal([I, I, I])),
    "squares": lambda: da.System(
        kinetic=m * (x.dot + y * y.dot) ** 2 / 2 + k * y.dot**2, coordinates=[x, y]
    ).equations(),
    "minors": lambda: da.System(
        kinetic=x.dot**2 + x.dot * y.dot + y.dot**2, coordinates=[x, y]
    ).equations(),
}


@pytest.mark.parametrize("case", POSITIVE)
def test_positive_inertia_is_proved(case, rng):
    eq = POSITIVE[case]()
    assert verdict(eq).is_proved
    for _ in range(10):
        at = random_values({s for e in eq.M for s in e.symbols}, rng)
        assert np.linalg.eigvalsh(eq.M.evaluate(at)).min() > -1e-12


def test_another_positive_matrix_is_not_called_indefinite():
    # twice the true M is wrong, but it is positive: only what is false may be refuted
    eq = da.textbook.cart_pole().equations()
    doubled = eq.replaced(M=eq.M * 2)
    assert verdict(doubled).verdict != "refuted"
    assert any(p.verdict == "refuted" for p in doubled.prove())
    # minus the true M is negative
    assert verdict(eq.replaced(M=-eq.M)).verdict == "refuted"


def test_hypotheses_name_what_must_be_positive():
    eq = da.System.from_particles([m - k], [(x, y)], coordinates=[x, y]).equations()
    proof = verdict(eq)
    assert proof.is_proved
    assert proof.hypotheses == ("m - k ≥ 0",)


def test_prove_looks_for_the_gram_matrix_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    found = mass_matrix.gram_sum
    monkeypatch.setattr(mass_matrix, "gram_sum", lambda *args: calls.append(args) or found(*args))
    proofs = [proof.statement for proof in da.textbook.planar_arm().equations().prove()]
    assert "M ⪰ 0" in proofs
    assert any(statement.startswith("M ≻ 0") for statement in proofs)
    assert len(calls) == 1


def test_what_is_not_shown_stays_undecided() -> None:
    # 2 + sin x > 0 is true, but no sum of even powers shows it
    eq = da.System(kinetic=(2 + da.sin(x)) * x.dot**2 / 2, coordinates=[x]).equations()
    proofs = {p.statement.split(" where")[0]: p for p in eq.prove()}
    assert proofs["M ⪰ 0"].verdict == "undecided"
    assert "not known for every motion" in proofs["M ⪰ 0"].method
    assert proofs["M ≻ 0"].verdict == "undecided"


def test_a_direction_must_be_annihilated_to_refute(monkeypatch: pytest.MonkeyPatch) -> None:
    eq = da.System(kinetic=m * (x.dot + y.dot) ** 2 / 2, coordinates=[x, y]).equations()
    ring = eq.ring
    wrong = da.Matrix([[ring.one], [ring.one]])
    monkeypatch.setattr(mass_matrix, "null_space", lambda *_: wrong)
    (proof,) = [p for p in eq.prove() if p.statement.startswith("M ≻ 0")]
    assert proof.verdict == "undecided"
    zero = da.Matrix([[ring.zero], [ring.zero]])
    monkeypatch.setattr(mass_matrix, "null_space", lambda *_: zero)
    (proof,) = [p for p in eq.prove() if p.statement.startswith("M ≻ 0")]
    assert proof.verdict == "undecided"


def test_hypotheses_do_not_depend_on_what_was_made_first() -> None:
    names = ("m", "J", "I", "K")
    weights = dict(zip(names, da.parameters(" ".join(names)), strict=True))
    rates = dict(zip(names, (x.dot, y.dot, x.dot, y.dot), strict=True))
    for order in (names, names[::-1]):
        T = sum(weights[name] * rates[name] ** 2 for name in order)
        proof = verdict(da.System(kinetic=T, coordinates=[x, y]).equations())
        assert list(proof.hypotheses) == ["2 I ≥ 0", "2 J ≥ 0", "2 K ≥ 0", "2 m ≥ 0"]
