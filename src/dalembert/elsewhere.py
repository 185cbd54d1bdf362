"""What other programs and books call what dalembert has, for those who type a name of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

AT_THE_TOP: Mapping[str, str] = {
    # Pinocchio
    "buildModelFromUrdf": "da.compile(da.load(path))",
    "RobotWrapper": "da.compile(da.load(path))",
    "rnea": "model.inverse_dynamics(q, qd, qdd)",
    "aba": "model.forward_dynamics(q, qd, tau)",
    "crba": "model.mass_matrix(q)",
    # MuJoCo
    "MjModel": "da.compile(da.load(path))",
    "MjData": "arrays q and qd: a model has no data",
    "mj_step": "da.simulate(model, q0, qd0, t)",
    "mj_inverse": "model.inverse_dynamics(q, qd, qdd)",
    "mj_forward": "model.forward_dynamics(q, qd, tau)",
    # SymPy
    "symbols": 'da.parameters("m g") or da.coordinates("q1 q2")',
    "dynamicsymbols": 'da.coordinates("q1 q2")',
    "LagrangesMethod": "da.System(…).equations()",
    "KanesMethod": "da.System(…).equations()",
    "simplify": "da.equal(a, b) to compare, print(x) for the short form",
    "solve": "equations.solve(), matrix.solve(b)",
    "latex": "x.latex()",
    "diff": "x.diff(y), da.ddt(x)",
    # Robotics Toolbox, Drake
    "DHRobot": "da.Mechanism.from_dh(rows)",
    "ERobot": "da.load(path)",
    "MultibodyPlant": "da.compile(da.load(path))",
    "Parser": "da.load(path)",
    "Simulator": "da.simulate(model, q0, qd0, t)",
    # what is not a name of its own
    "arctan": "da.atan(x)",
    "arctan2": "da.atan2(y, x)",
    "arcsin": "da.asin(x)",
    "arccos": "da.acos(x)",
    "ln": "da.log(x)",
    "Symbol": 'da.parameters("m")',
    "particle": "da.System.from_particles(masses, positions, coordinates=…)",
    "Particle": "da.System.from_particles(masses, positions, coordinates=…)",
    "view": "dalembert.studio.view(robot), or the command dalembert view robot.urdf",
    "plot": "motion.plot()",
    "linearize": "equations.linearise(), da.control.LQR",
}

OF_A_MODEL: Mapping[str, str] = {
    "M": "model.mass_matrix(q)",
    "C": "model.coriolis(q, qd)",
    "N": "model.bias(q, qd)",
    "J": "model.jacobian(q, frame)",
    "rnea": "model.inverse_dynamics(q, qd, qdd)",
    "rne": "model.inverse_dynamics(q, qd, qdd)",
    "aba": "model.forward_dynamics(q, qd, tau)",
    "accel": "model.forward_dynamics(q, qd, tau)",
    "crba": "model.mass_matrix(q)",
    "inertia": "model.mass_matrix(q)",
    "nle": "model.bias(q, qd)",
    "nonLinearEffects": "model.bias(q, qd)",
    "qfrc_bias": "model.bias(q, qd)",
    "gravload": "model.gravity(q)",
    "fkine": "model.forward_kinematics(q, frame)",
    "fk": "model.forward_kinematics(q, frame)",
    "jacob0": "model.jacobian(q, frame)",
    "jacobe": 'model.jacobian(q, frame, "body")',
    "frameJacobian": "model.jacobian(q, frame)",
    "com": "model.center_of_mass(q)",
    "ik": "da.solve_ik(model, target, frame=…)",
    "inverse_kinematics": "da.solve_ik(model, target, frame=…)",
    "ikine_LM": "da.solve_ik(model, target, frame=…)",
    "simulate": "da.simulate(model, q0, qd0, t)",
    "step": "da.simulate(model, q0, qd0, t)",
    "fdyn": "da.simulate(model, q0, qd0, t)",
    "rollout": "da.rollout(model, q0, qd0, …)",
    "plot": "dalembert.studio.view(model.mechanism)",
    "equations": "model.mechanism.equations(), or those of the system",
    "random_q": "model.random_configuration()",
    "lowerPositionLimit": "model.configuration.lower",
    "upperPositionLimit": "model.configuration.upper",
}

OF_EQUATIONS: Mapping[str, str] = {
    "inertia_matrix": "eq.M",
    "coriolis": "eq.C",
    "forcing": "eq.forces - eq.C @ qd - eq.N",
    "rhs": "eq.accelerations",
    "simulate": "da.simulate(da.compile(system), q0, qd0, t)",
}


def unknown_attribute(
    where: str, name: str, known: Iterable[str], elsewhere: Mapping[str, str]
) -> AttributeError:
    """Return the error for a missing attribute, with the name that was meant.

    Args:
        where: What was asked, such as "a Model".
        name: The name that was asked for.
        known: The names that exist.
        elsewhere: What to write instead of names of other programs.

    >>> str(unknown_attribute("a Model", "rnea", [], OF_A_MODEL))
    'expected an attribute of a Model, got rnea: write model.inverse_dynamics(q, qd, qdd)'
    """
    text = f"expected an attribute of {where}, got {name}"
    if name.startswith("_"):
        return AttributeError(text)
    if name in elsewhere:
        return AttributeError(f"{text}: write {elsewhere[name]}")
    close = get_close_matches(name[:100], sorted(known), n=3, cutoff=0.6)
    return AttributeError(f"{text}: did you mean {', '.join(close)}?" if close else text)
