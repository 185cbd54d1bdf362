"""Every result has a readable text and a face for notebooks."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.mechanics.proofs.proof import Proofs
from dalembert.typeset.render.text import width


def results() -> dict[str, object]:
    """Return one result of every kind."""
    eq = da.textbook.cart_pole().equations()
    pendulum = da.textbook.spherical_pendulum().equations()
    edge = da.textbook.knife_edge().equations()
    wire = da.textbook.wire_particles().equations()
    values = dict.fromkeys(eq.residual.entries[0].symbols + eq.residual.entries[1].symbols, 0.7)
    arm = da.textbook.robots.planar_arm_nr(2)
    model = da.compile(da.textbook.robots.ur5e())
    return {
        "regressor": eq.regressor(),
        "base parameters": eq.base_parameters(),
        "Hamilton's form": eq.hamiltonian(),
        "conserved": pendulum.conserved()[0],
        "Noether's momentum": pendulum.noether({pendulum.coordinates[1]: 1}),
        "Routh's form": pendulum.routh(),
        "quasi-velocities": edge.quasi_velocities(),
        "integrability": edge.integrability(),
        "statics": wire.statics(),
        "reaction": wire.statics().reaction(1),
        "split forces": wire.split_forces(),
        "grade": da.check_answer(-eq.N, eq, "N"),
        "lumped": eq.lumped(),
        "proof": eq.prove()[0],
        "proofs": eq.prove(),
        "solution at a point": eq.solve(values),
        "singularities": arm.singularities("tip", rows=(0, 1)),
        "motion": da.simulate(model, [0.1] * 6, None, 0.01),
        "pose": da.solve_ik(model, model.forward_kinematics([0.1] * 6)),
        "derivation": eq.derivation(),
        "equations": eq,
        "state space": eq.linearise({"theta": da.pi}).state_space(),
        "rollouts": da.rollout(model, [0.1] * 6, None, 2, method=da.simulation.RK4(0.01)),
        "C": model.source("c", functions=["gravity"]),
        "system": da.textbook.cart_pole(),
        "mechanism": arm,
    }


FACES = ("_repr_latex_", "_repr_markdown_", "_repr_html_")


@pytest.fixture(scope="module")
def made() -> dict[str, object]:
    return results()


def test_texts_have_no_names_of_classes_or_fields(made: dict[str, object]) -> None:
    for name, result in made.items():
        text = str(result)
        assert "Element(" not in text, name
        assert f"{type(result).__name__}(" not in text, name
        assert max(map(width, text.splitlines())) <= 160, name


def test_every_result_has_a_face_for_notebooks(made: dict[str, object]) -> None:
    for name, result in made.items():
        faces = [getattr(result, face)() for face in FACES if hasattr(result, face)]
        assert faces, name
        assert all(isinstance(face, str) and face for face in faces), name


def test_a_state_space_and_a_system_read_as_formulas() -> None:
    (x,) = da.coordinates("x")
    m, k = da.parameters("m k")
    (F,) = da.inputs("F")
    oscillator = da.System(
        kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, coordinates=[x], forces=[F]
    )
    assert str(oscillator).splitlines() == ["q = [x]", "T = m ẋ²/2", "V = k x²/2", "Υ = [F]"]
    lines = str(oscillator.equations().linearise().state_space()).splitlines()
    assert lines == [
        "x = ⎡δx⎤",
        "    ⎣δẋ⎦",
        "u = [δF]",
        "A = ⎡   0  1⎤",
        "    ⎣-k/m  0⎦",
        "B = ⎡  0⎤",
        "    ⎣1/m⎦",
    ]
    free = da.System(lagrangian=m * x.dot**2 / 2, coordinates=[x]).equations().linearise()
    assert "B" not in str(free.state_space())


def test_faces_of_large_robots_are_short_and_escaped() -> None:
    robot = da.textbook.robots.panda().rename({}, name="<b>")
    for thing in (robot, da.compile(robot)):
        face = thing._repr_html_()
        assert len(face) < 2000
        assert "&lt;b&gt;" in face
        assert "<b>" not in face
    assert len(str(da.textbook.robots.panda().system())) < 2000


def test_hamiltons_form_reads_as_equations() -> None:
    lines = str(da.textbook.particle().equations().hamiltonian()).splitlines()
    assert lines == ["H = p_y²/(2 m) + m g y", "q̇ = [p_y/m]", "ṗ = [f - m g]", "p_y = m ẏ"]


def test_proofs_are_a_list_that_counts() -> None:
    proofs = da.textbook.particle().equations().prove()
    assert isinstance(proofs, list)
    assert str(proofs).endswith(f"{len(proofs)} of {len(proofs)} proved")
    assert str(Proofs([])) == "0 of 0 proved"


def test_a_regressor_of_a_robot_leaves_out_the_pages_of_its_matrix() -> None:
    base = da.textbook.robots.puma560().base_parameters()
    text = str(base)
    assert "Θ = " in text
    assert "Y =" not in text
    assert repr(base) == f"BaseParameters({len(base)} of {len(base.full)})"
