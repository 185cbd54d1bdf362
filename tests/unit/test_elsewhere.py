"""A name of another program, or one that stands elsewhere, is answered with what to write."""

from __future__ import annotations

import re

import pytest

import dalembert as da
from dalembert.elsewhere import AT_THE_TOP, OF_A_MODEL, OF_EQUATIONS

ARM = da.textbook.robots.rp_mechanism().bind({"m": 1, "l": 0.5, "g": 9.81})


def described() -> dict[str, object]:
    model = da.compile(ARM)
    return {"da": da, "model": model, "eq": da.textbook.rp_arm().equations()}


@pytest.mark.parametrize("name", ["RK4", "Contact", "LQR", "Ground", "Taylor"])
def test_a_public_name_of_a_package_is_found(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"got {name}: write da\.\w+\.{name}$"):
        getattr(da, name)


@pytest.mark.parametrize(
    ("owner", "name", "words"),
    [
        ("da", "arctan", "da.atan"),
        ("da", "MjModel", "da.load"),
        ("da", "simulat", "did you mean simulate"),
        ("model", "rnea", "model.inverse_dynamics"),
        ("model", "mass_matrx", "did you mean mass_matrix"),
        ("eq", "rhs", "eq.accelerations"),
        ("eq", "derivaton", "did you mean derivation"),
    ],
)
def test_the_remedy_is_named(owner: str, name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(words)):
        getattr(described()[owner], name)


def test_nothing_is_said_to_be_elsewhere_that_is_here() -> None:
    owners = {"da": AT_THE_TOP, "model": OF_A_MODEL, "eq": OF_EQUATIONS}
    here = {f"{o}.{n}" for o, names in owners.items() for n in names if n in dir(described()[o])}
    assert here == set()


def test_every_remedy_exists() -> None:
    owners = described()
    seen = 0
    for table in (AT_THE_TOP, OF_A_MODEL, OF_EQUATIONS):
        for remedy in table.values():
            for owner, name in re.findall(r"\b(da|model|eq)\.(\w+)", remedy):
                assert hasattr(owners[owner], name), remedy
                seen += 1
    assert seen > 50


def test_private_names_are_answered_shortly() -> None:
    for owner in described().values():
        with pytest.raises(AttributeError):
            _ = owner._nothing  # type: ignore[attr-defined]
        assert not hasattr(owner, "__nothing__")


def test_long_names_of_equations_are_the_same_objects() -> None:
    eq = da.textbook.rp_arm().equations()
    assert eq.mass_matrix is eq.M
    assert eq.coriolis_matrix is eq.C
    assert eq.kinetic_energy is eq.T
    assert eq.potential_energy is eq.V
    assert eq.lagrangian is eq.L


def test_a_simulation_without_its_time_says_so() -> None:
    with pytest.raises(da.EvaluationError, match=r"write da\.simulate\(model, q0, None, 1\.0\)"):
        da.simulate(da.compile(ARM), [0.1, 0.2], 1.0)
    assert da.simulate(da.compile(ARM), [0.1, 0.2], t=0.1).ok
