"""Every refusal by size of a robot with rpy="1.5708 0 0" names joint, line and remedy."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable

import pytest

import dalembert as da

ARM = """<robot name="arm"><link name="base"/>
<link name="l1"><inertial><origin xyz="0.1 0 0.02"/><mass value="2"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="l2"><inertial><origin xyz="0.1 0.01 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><axis xyz="0 0 1"/>
</joint><joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><axis xyz="0 0 1"/>
<origin rpy="1.5708 1.5708 0" xyz="0 0 0.3"/></joint></robot>
"""
OF_ROBOTS: dict[str, Callable[[da.Mechanism], object]] = {
    "equations": da.Mechanism.equations,
    "prove": da.Mechanism.prove,
    "base_parameters": da.Mechanism.base_parameters,
    "singularities": lambda robot: robot.singularities("l2"),
    "screw_derivation": da.Mechanism.screw_derivation,
}
OF_EQUATIONS: dict[str, Callable[[da.Equations], object]] = {
    "str": str,
    "latex": da.Equations.latex,
    "accelerations": da.Equations.accelerations,
    "base_parameters": da.Equations.base_parameters,
    "derivation": da.Equations.derivation,
    "equilibria": da.Equations.equilibria,
    "hamiltonian": da.Equations.hamiltonian,
    "linearise": da.Equations.linearise,
    "quasi_velocities": da.Equations.quasi_velocities,
    "regressor": da.Equations.regressor,
    "residual": lambda eq: eq.residual,
}
WORDS = r"many times as many terms \(joint 'j2' at line 8\): load with repair=\{'angles'\}"


@pytest.fixture
def robot() -> da.Mechanism:
    return da.load(ARM)


def refuse_all(patch: pytest.MonkeyPatch) -> None:
    """Let every form of some terms be too large."""
    patch.setattr("dalembert.ring.budget.MAX_BYTES_HELD", 0)
    patch.setattr("dalembert.ring.elements.element.MIN_HELD_TERMS", 3)


@pytest.mark.parametrize("name", OF_ROBOTS)
def test_refusals_of_a_robot(name: str, robot: da.Mechanism, monkeypatch) -> None:
    refuse_all(monkeypatch)
    with pytest.raises(da.TooLarge, match=WORDS):
        OF_ROBOTS[name](robot)


@pytest.mark.parametrize("name", OF_EQUATIONS)
def test_refusals_of_its_equations(name: str, robot: da.Mechanism, monkeypatch) -> None:
    eq = robot.equations()
    again = pickle.loads(pickle.dumps(eq))
    refuse_all(monkeypatch)
    for each in (eq, again):
        with pytest.raises(da.TooLarge, match=WORDS) as refusal:
            OF_EQUATIONS[name](each)
        assert str(refusal.value).count("rounded right angles") == 1


def test_exact_angles_have_no_such_words(monkeypatch: pytest.MonkeyPatch) -> None:
    eq = da.load(ARM, repair={"angles"}).equations()
    assert not eq.remark
    refuse_all(monkeypatch)
    with pytest.raises(da.TooLarge) as refusal:
        eq.hamiltonian()
    assert "right angles" not in str(refusal.value)


def test_methods_keep_their_names_and_documentation() -> None:
    hamiltonian = da.Equations.hamiltonian
    assert (hamiltonian.__name__, hamiltonian.__doc__) == (
        "hamiltonian",
        "Return H(q, p) with Hamilton's equations.",
    )
    assert list(inspect.signature(da.Equations.prove).parameters) == ["self"]
