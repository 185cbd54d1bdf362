"""What the sources of the worked examples print, beside what is derived here.

Each formula is typed in from its source twice: as LaTeX, to be read, and in the language of
`da.parse`, to be compared exactly. An equation is given as its left side minus its right side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import dalembert as da
from dalembert.expr import Kind, free_symbols, is_kind, symbol_text

Ours = Callable[[da.Equations], da.Expr]


class Printed(NamedTuple):
    """A printed formula: what it is, as LaTeX, as text, and which of ours it should be."""

    what: str
    latex: str
    text: str
    ours: Ours
    note: str = ""


def row(i: int) -> Ours:
    """Return what takes equation i, its left side minus its right side."""
    return lambda eq: eq.residual[i]


def entry(part: str, i: int, j: int = 0) -> Ours:
    """Return what takes an entry of a part of the equations, such as M."""
    return lambda eq: getattr(eq, part)[i, j]


def _damping(eq: da.Equations) -> da.Expr:
    return eq.residual[0].diff(eq.velocities[0])


def _symmetric_kinetic(eq: da.Equations) -> da.Expr:
    I1, I2, _ = eq.parameters
    return eq.T.subs({I2: I1})


RESULTS: dict[str, tuple[Printed, ...]] = {
    "particle": (Printed("equation", r"m\ddot y = f - m g", "m*y.ddot - (f - m*g)", row(0)),),
    "geared_link": (
        Printed("inertia", r"I = r^2 J_m + J_l", "r^2*J_m + J_l", entry("M", 0)),
        Printed("torque", r"u = r\,\tau_m", "r*tau_m", entry("forces", 0)),
        Printed("damping", r"B = r B_m + B_l", "r*B_m + B_l", _damping, "r² B_m + B_l"),
    ),
    "elastic_joint": (
        Printed(
            "link",
            r"J_l\ddot q_1 + M g l \sin q_1 + k(q_1 - q_2) = 0",
            "J_l*q1.ddot + M*g*l*sin(q1) + k*(q1 - q2)",
            row(0),
        ),
        Printed(
            "motor",
            r"J_m\ddot q_2 + k(q_2 - q_1) = u",
            "J_m*q2.ddot + k*(q2 - q1) - u",
            row(1),
        ),
    ),
    "wire_particles": (
        Printed(
            "constraint",
            r"(x_1-x_2)^2 + (y_1-y_2)^2 - l^2 = 0",
            "(x1 - x2)^2 + (y1 - y2)^2 - l^2",
            entry("a", 0),
        ),
    ),
    "rp_arm": (
        Printed(
            "(1)",
            r"\left(\tfrac{5}{12} l^2 + (\tfrac l2+q_2)^2\right) m \ddot q_1"
            r" + 2m\dot q_1\dot q_2(\tfrac l2+q_2) + m g (l+q_2)\cos q_1 = \tau_1",
            "(5/12*l^2 + (l/2+q2)^2)*m*q1.ddot + 2*m*q1.dot*q2.dot*(l/2+q2)"
            " + m*g*(l+q2)*cos(q1) - tau1",
            row(0),
        ),
        Printed(
            "(2)",
            r"m\ddot q_2 - m \dot q_1^2(\tfrac l2+q_2) + m g\sin q_1 = F_2",
            "m*q2.ddot - m*q1.dot^2*(l/2+q2) + m*g*sin(q1) - F2",
            row(1),
        ),
        Printed("C₁₂", r"\dot q_1 m(\tfrac l2+q_2)", "q1.dot*m*(l/2+q2)", entry("C", 0, 1)),
    ),
    "rp_arm_maximal": (
        Printed(
            "constraint 3",
            r"y_2\cos\phi_2 - x_2\sin\phi_2 = 0",
            "y2*cos(phi2) - x2*sin(phi2)",
            entry("a", 2),
        ),
        Printed(
            "A₃₆",
            r"-x_2\cos\phi_2 - y_2\sin\phi_2",
            "-x2*cos(phi2) - y2*sin(phi2)",
            entry("A", 2, 5),
        ),
        Printed(
            "(6), where λ is our -λ",
            r"m\ddot x_2 - \sin\phi_1\,\lambda_3 = F\cos\phi_1",
            "m*x2.ddot + sin(phi1)*lam3 - F2*cos(phi1)",
            row(3),
            "sin φ₂ λ₃",
        ),
    ),
    "planar_3r": (
        Printed(
            "T, step 11 with step 12",
            r"\tfrac12 m_1\dot c_1^T\dot c_1 + \tfrac12 m_2\dot c_2^T\dot c_2"
            r" + \tfrac12 m_3\dot c_3^T\dot c_3",
            "1/2*m1*(r1*q1.dot)^2"
            " + 1/2*m2*((l1*sin(q1)*q1.dot + r2*sin(q1+q2)*(q1.dot+q2.dot))^2"
            " + (l1*cos(q1)*q1.dot + r2*cos(q1+q2)*(q1.dot+q2.dot))^2)"
            " + 1/2*m3*((l1*sin(q1)*q1.dot + l2*sin(q1+q2)*(q1.dot+q2.dot)"
            " + r3*sin(q1+q2+q3)*(q1.dot+q2.dot+q3.dot))^2"
            " + (l1*cos(q1)*q1.dot + l2*cos(q1+q2)*(q1.dot+q2.dot)"
            " + r3*cos(q1+q2+q3)*(q1.dot+q2.dot+q3.dot))^2)",
            lambda eq: eq.T,
        ),
        Printed(
            "V, step 11",
            r"-m_1 g\,c_{1,y} - m_2 g\,c_{2,y} - m_3 g\,c_{3,y}",
            "-m1*g*r1*sin(q1) - m2*g*(l1*sin(q1) + r2*sin(q1+q2))"
            " - m3*g*(l1*sin(q1) + l2*sin(q1+q2) + r3*sin(q1+q2+q3))",
            lambda eq: eq.V,
        ),
        Printed(
            "second body, step 13",
            r"\frac{\partial T}{\partial\theta_1} = m_2\dot c_2^T\dot\theta_2"
            r"\left(\frac{\partial\hat\xi_2'}{\partial\theta_1} c_2"
            r" + \hat\xi_2'\frac{\partial c_2}{\partial\theta_1}\right)",
            "-m2*l1*r2*q1.dot*q2.dot*sin(q2)",
            lambda eq: eq.T.diff(eq.coordinates[0]),
            "a term is lost, which makes the sum zero",
        ),
    ),
    "cartesian_arm": (
        Printed(
            "joint 1",
            r"(m_1+m_2)\ddot q_1 + g(m_1+m_2) = \tau_1",
            "(m1+m2)*q1.ddot + g*(m1+m2) - tau1",
            row(0),
        ),
        Printed("joint 2", r"m_2\ddot q_2 = \tau_2", "m2*q2.ddot - tau2", row(1)),
    ),
    "planar_arm": (
        Printed(
            "d₁₁",
            r"m_1 a_{c1}^2 + m_2(a_1^2 + a_{c2}^2 + 2 a_1 a_{c2}\cos q_2) + I_1 + I_2",
            "m1*a_c1^2 + m2*(a1^2 + a_c2^2 + 2*a1*a_c2*cos(q2)) + I1 + I2",
            entry("M", 0, 0),
        ),
        Printed(
            "d₁₂",
            r"m_2(a_{c2}^2 + a_1 a_{c2}\cos q_2) + I_2",
            "m2*(a_c2^2 + a1*a_c2*cos(q2)) + I2",
            entry("M", 0, 1),
        ),
        Printed("d₂₂", r"m_2 a_{c2}^2 + I_2", "m2*a_c2^2 + I2", entry("M", 1, 1)),
        Printed(
            "g₁",
            r"(m_1 a_{c1} + m_2 a_1) g\cos q_1 + m_2 a_{c2} g\cos(q_1+q_2)",
            "(m1*a_c1 + m2*a1)*g*cos(q1) + m2*a_c2*g*cos(q1+q2)",
            entry("N", 0),
        ),
        Printed("g₂", r"m_2 a_{c2} g\cos(q_1+q_2)", "m2*a_c2*g*cos(q1+q2)", entry("N", 1)),
    ),
    "double_pendulum": (
        Printed(
            "L, Landau and Lifshitz, Mechanics, § 5",
            r"\tfrac12(m_1+m_2)l_1^2\dot\theta_1^2 + \tfrac12 m_2 l_2^2\dot\theta_2^2"
            r" + m_2 l_1 l_2\dot\theta_1\dot\theta_2\cos(\theta_1-\theta_2)"
            r" + (m_1+m_2) g l_1\cos\theta_1 + m_2 g l_2\cos\theta_2",
            "1/2*(m1+m2)*l1^2*theta1.dot^2 + 1/2*m2*l2^2*theta2.dot^2"
            " + m2*l1*l2*theta1.dot*theta2.dot*cos(theta1-theta2)"
            " + (m1+m2)*g*l1*cos(theta1) + m2*g*l2*cos(theta2)",
            lambda eq: eq.L,
        ),
        Printed(
            "determinant of M",
            r"m_2 l_1^2 l_2^2\left(m_1 + m_2\sin^2(\theta_1-\theta_2)\right)",
            "m2*l1^2*l2^2*(m1 + m2*sin(theta1-theta2)^2)",
            lambda eq: eq.M.det(),
        ),
        Printed(
            "second mass",
            r"m_2 l_2^2\ddot\theta_2 + m_2 l_1 l_2\ddot\theta_1\cos(\theta_1-\theta_2)"
            r" - m_2 l_1 l_2\dot\theta_1^2\sin(\theta_1-\theta_2) + m_2 g l_2\sin\theta_2 = 0",
            "m2*l2^2*theta2.ddot + m2*l1*l2*theta1.ddot*cos(theta1-theta2)"
            " - m2*l1*l2*theta1.dot^2*sin(theta1-theta2) + m2*g*l2*sin(theta2)",
            row(1),
        ),
    ),
    "spherical_pendulum": (
        Printed(
            "L, Landau and Lifshitz, Mechanics, § 14",
            r"\tfrac12 m l^2(\dot\theta^2 + \dot\phi^2\sin^2\theta) + m g l\cos\theta",
            "1/2*m*l^2*(theta.dot^2 + phi.dot^2*sin(theta)^2) + m*g*l*cos(theta)",
            lambda eq: eq.L,
        ),
        Printed(
            "polar angle",
            r"m l^2\ddot\theta - m l^2\sin\theta\cos\theta\,\dot\phi^2 + m g l\sin\theta = 0",
            "m*l^2*theta.ddot - m*l^2*sin(theta)*cos(theta)*phi.dot^2 + m*g*l*sin(theta)",
            row(0),
        ),
    ),
    "cart_pole": (
        Printed(
            "Tedrake, Underactuated Robotics",
            r"\ddot x = \frac{F + m_p\sin\theta\,(l\dot\theta^2 + g\cos\theta)}"
            r"{m_c + m_p\sin^2\theta}",
            "(F + m_p*sin(theta)*(l*theta.dot^2 + g*cos(theta)))/(m_c + m_p*sin(theta)^2)",
            lambda eq: eq.accelerations()[0],
        ),
    ),
    "furuta_pendulum": (
        Printed(
            "arm",
            r"\ddot\theta_1(\hat J_0 + \hat J_2\sin^2\theta_2)"
            r" + \ddot\theta_2 m_2 L_1 l_2\cos\theta_2 - m_2 L_1 l_2\sin\theta_2\dot\theta_2^2"
            r" + \dot\theta_1\dot\theta_2\sin(2\theta_2)\hat J_2 = \tau_1",
            "theta1.ddot*(J + m*r^2 + (I + m*l^2)*sin(theta2+pi)^2)"
            " + theta2.ddot*m*r*l*cos(theta2+pi) - m*r*l*sin(theta2+pi)*theta2.dot^2"
            " + theta1.dot*theta2.dot*sin(2*(theta2+pi))*(I + m*l^2) - tau",
            row(0),
        ),
        Printed(
            "rod",
            r"\ddot\theta_1 m_2 L_1 l_2\cos\theta_2 + \ddot\theta_2\hat J_2"
            r" - \tfrac12\dot\theta_1^2\sin(2\theta_2)\hat J_2 + g m_2 l_2\sin\theta_2 = 0",
            "theta1.ddot*m*r*l*cos(theta2+pi) + theta2.ddot*(I + m*l^2)"
            " - 1/2*theta1.dot^2*sin(2*(theta2+pi))*(I + m*l^2) + g*m*l*sin(theta2+pi)",
            row(1),
        ),
    ),
    "driven_pendulum": (
        Printed(
            "equation",
            r"m l^2\ddot\theta + m l\,(g - a\omega^2\cos\omega t)\sin\theta = 0",
            "m*l^2*theta.ddot + m*l*(g - a*omega^2*cos(omega*t))*sin(theta)",
            row(0),
        ),
    ),
    "free_rigid_body": (
        Printed(
            "T where I₁ = I₂, § 35",
            r"\tfrac12 I_1(\dot\phi^2\sin^2\theta + \dot\theta^2)"
            r" + \tfrac12 I_3(\dot\phi\cos\theta + \dot\psi)^2",
            "1/2*I1*(phi.dot^2*sin(theta)^2 + theta.dot^2)"
            " + 1/2*I3*(phi.dot*cos(theta) + psi.dot)^2",
            _symmetric_kinetic,
        ),
        Printed(
            "Euler's third equation, § 36 with Ω of § 35",
            r"I_3\dot\Omega_3 + (I_2 - I_1)\Omega_1\Omega_2 = 0",
            "I3*(phi.ddot*cos(theta) - phi.dot*theta.dot*sin(theta) + psi.ddot)"
            " + (I2 - I1)*(phi.dot*sin(theta)*sin(psi) + theta.dot*cos(psi))"
            "*(phi.dot*sin(theta)*cos(psi) - theta.dot*sin(psi))",
            row(2),
        ),
    ),
    "rolling_disc": (
        Printed("x", r"m\ddot x = \lambda_1", "m*x.ddot - lam1", row(0)),
        Printed("y", r"m\ddot y = \lambda_2", "m*y.ddot - lam2", row(1)),
        Printed(
            "θ",
            r"I\ddot\theta = -R\cos\varphi\,\lambda_1 - R\sin\varphi\,\lambda_2 + u_\theta",
            "I*theta.ddot + R*cos(phi)*lam1 + R*sin(phi)*lam2 - tau_theta",
            row(3),
        ),
        Printed(
            "θ, without multipliers",
            r"\ddot\theta = \frac{u_\theta}{I + m R^2}",
            "tau_theta/(I + m*R^2)",
            lambda eq: eq.accelerations()[3],
        ),
    ),
    "knife_edge": (
        Printed(
            "multiplier, with the force on the right",
            r"\lambda = -m\left(g\sin\alpha\sin\phi"
            r" + \dot\phi(\dot x\cos\phi + \dot y\sin\phi)\right)",
            "-m*(g*sin(alpha)*sin(phi) + phi.dot*(x.dot*cos(phi) + y.dot*sin(phi)))",
            lambda eq: eq.multipliers()[0],
        ),
    ),
}
"""By the name of the page."""


def table(name: str, eq: da.Equations) -> str:
    """Return the table of a page; nothing where no formula of the source is typed in."""
    results = RESULTS.get(name, ())
    if not results:
        return ""
    head = "| | the source prints | here | the same |\n|---|---|---|---|"
    rows = [f"| {x.what} | ${x.latex}$ | ${_right(x, eq)}$ | {_verdict(x, eq)} |" for x in results]
    return "\n".join(["## The source's result and ours", "", head, *rows])


def is_same(printed: Printed, eq: da.Equations) -> bool:
    """Tell, exactly, whether a printed formula is ours."""
    known = [*eq.coordinates, *eq.parameters, *eq.lam]
    known += [x for x in free_symbols(eq.forces.entries) if is_kind(x, Kind.INPUT)]
    names = {symbol_text(x): x for x in known} | {"t": da.time}
    return da.equal(printed.ours(eq), da.parse(printed.text, names))


def _verdict(printed: Printed, eq: da.Equations) -> str:
    if is_same(printed, eq):
        return "yes"
    return f"no: {printed.note} ([errata](../errata.md))"


def _right(printed: Printed, eq: da.Equations) -> str:
    # a cell is one line without bars
    latex = " ".join(printed.ours(eq).latex().replace("|", r"\vert ").split("\n"))
    is_equation = "= 0" in printed.latex or printed.ours.__qualname__.startswith("row.")
    return f"{latex} = 0" if is_equation else latex
