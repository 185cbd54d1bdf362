"""A joint that follows another in an ordinary ratio: every way out computes what mpmath does.

cos q and cos 0.98 q used to become polynomials of cos(q/50), whose floats cancel: `evaluate` and
exported code were wrong, and 0.872665, the ratio of a real robot, was refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

import dalembert as da
from dalembert.cli.equations_code import code
from dalembert.mechanics.equations.text import equations_page
from dalembert.mechanics.printed.statement import symbols_of
from dalembert.model.source.checks.runs import runs
from dalembert.reader.code.c import array, c_program
from dalembert.reader.code.python import python_functions
from dalembert.reader.page import read_text
from tests.cases import num_cases
from tests.figures import Figures

RTOL = 1e-11
"""Of the largest entry: ratios have seven digits, and results some terms of one size."""
DIGITS = 40
"""Of mpmath."""

LINK = """<link name="{name}"><inertial><origin xyz="{c} 0 0"/><mass value="{m}"/>
<inertia ixx="{I}" iyy="{I}" izz="{I}" ixy="0" ixz="0" iyz="0"/></inertial></link>
"""
JOINT = """<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{l} 0 0"/><axis xyz="0 -1 0"/>{more}</joint>
"""


class Arm:
    """Three links in a vertical plane: the second joint follows the first, the third is free.

    θ₁ = q₁, θ₂ = (1 + r) q₁ + b, θ₃ = θ₂ + q₂; gravity is along −z.
    """

    def __init__(self, draw: random.Random) -> None:
        digits = draw.randint(2, 7)
        n = draw.randrange(10 ** (digits - 1), 10**digits)
        self.ratio = f"{draw.choice(['', '-'])}{n / 10 ** (digits - draw.randint(0, 1)):.{digits}f}"
        self.offset = draw.choice(["0", f"{draw.uniform(-1, 1):.3f}"])
        self.m, self.c, self.l, self.I = (
            [f"{draw.uniform(0.1, 2):.2f}" for _ in range(3)] for _ in range(4)
        )

    @property
    def urdf(self) -> str:
        links = [LINK.format(name=f"l{i}", c=self.c[i], m=self.m[i], I=self.I[i]) for i in range(3)]
        mimic = f'<mimic joint="j0" multiplier="{self.ratio}" offset="{self.offset}"/>'
        joints = [
            JOINT.format(
                name=f"j{i}",
                parent=f"l{i - 1}" if i else "world",
                child=f"l{i}",
                l=self.l[i - 1] if i else "0",
                more=mimic if i == 1 else "",
            )
            for i in range(3)
        ]
        return f'<robot name="arm"><link name="world"/>{"".join(links)}{"".join(joints)}</robot>'

    def mass_matrix_and_bias(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return M and C q̇ + N from the places of the bodies: Jᵀ m J and Jᵀ m (J̇ q̇ + g e)."""
        with mpmath.workdps(DIGITS):
            mp = mpmath.mpf
            r, b = mp(self.ratio), mp(self.offset)
            q1, q2, v1, v2 = (mp(x) for x in (*q, *qd))
            slopes = [(mp(1), mp(0)), (1 + r, mp(0)), (1 + r, mp(1))]
            angles = [q1, (1 + r) * q1 + b, (1 + r) * q1 + b + q2]
            M, h = mpmath.zeros(2), mpmath.zeros(2, 1)
            for i in range(3):
                arms = [mp(self.l[k]) for k in range(i)] + [mp(self.c[i])]
                m, inertia = mp(self.m[i]), mp(self.I[i])
                J, a = mpmath.zeros(2), mpmath.matrix([0, mp("9.81")])
                for k, arm in enumerate(arms):
                    e = (mpmath.cos(angles[k]), mpmath.sin(angles[k]))
                    rate = slopes[k][0] * v1 + slopes[k][1] * v2
                    for j in range(2):
                        J[0, j] -= arm * e[1] * slopes[k][j]
                        J[1, j] += arm * e[0] * slopes[k][j]
                        a[j] -= arm * e[j] * rate**2
                M += m * J.T * J
                h += m * J.T * a
                for j in range(2):
                    for k in range(2):
                        M[j, k] += inertia * slopes[i][j] * slopes[i][k]
            return np.array(M.tolist(), float), np.array(h.tolist(), float)[:, 0]


def ways(arm: Arm) -> dict[str, Callable[[Any, Any], tuple[Any, Any]]]:
    """Return M and C q̇ + N as functions of q and q̇, by each way that they leave dalembert."""
    robot = da.load(arm.urdf)
    eq = robot.equations()
    model = da.compile(robot)
    known = [*eq.coordinates, *eq.velocities]
    second = [x.dot for x in eq.velocities]

    def evaluated(q: Any, qd: Any) -> tuple[Any, Any]:
        at = dict(zip(known, (*q, *qd), strict=True))
        return eq.M.evaluate(at), eq.C.evaluate(at) @ qd + eq.N.evaluate(at)[:, 0]

    # the print, its named parts put in, is read back with the exact numbers
    page = read_text(str(eq), symbols_of(eq), equations_page(eq).numbers)
    zero = dict.fromkeys((*second, *da.inputs("tau1 tau2")), 0)
    lines = [a - b for a, b in page.equations[:2]]

    def printed(q: Any, qd: Any) -> tuple[Any, Any]:
        at = dict(zip(known, (*q, *qd), strict=True)) | zero
        h = np.array([line.evaluate(at) for line in lines])
        M = [[line.evaluate({**at, x: 1}) - h[i] for x in second] for i, line in enumerate(lines)]
        return np.array(M), h

    def of_functions(call: Callable[[str, Any, Any], Any]) -> Callable[[Any, Any], tuple[Any, Any]]:
        def run(q: Any, qd: Any) -> tuple[Any, Any]:
            M, C, N = (
                np.reshape(call(name, q, qd), shape)
                for name, shape in (
                    ("mass_matrix", (2, 2)),
                    ("coriolis_matrix", (2, 2)),
                    ("other_forces", (2,)),
                )
            )
            return M, C @ qd + N

        return run

    text = c_program(str(code(eq, "c", "arm")), {})
    found = python_functions(str(code(eq, "python", "arm")))

    def in_c(name: str, q: Any, qd: Any) -> Any:
        out = array([0.0] * (2 if name == "other_forces" else 4))
        given = (q, qd) if name == "coriolis_matrix" else (q,)
        text.run(f"arm_{name}", *map(array, given), out)
        return out.array.cells

    def in_python(name: str, q: Any, qd: Any) -> Any:
        given = (q, qd) if name == "coriolis_matrix" else (q,)
        return np.array(found[name](*map(list, given)), float)

    names = ("mass_matrix", "bias")
    programs = [model.program(name) for name in names]
    generated = runs("c", model.source("c", functions=names, prefix="arm"), programs, "arm")

    def in_generated(q: Any, qd: Any) -> tuple[Any, Any]:
        ((M,), (h,)) = (
            run([list({"q": q, "qd": qd}[port.name]) for port in program.inputs])
            for run, program in zip(generated, programs, strict=True)
        )
        return np.reshape(M, (2, 2)), np.array(h)

    return {
        "evaluate": evaluated,
        "print": printed,
        "derive -f c": of_functions(in_c),
        "derive -f python": of_functions(in_python),
        "codegen": in_generated,
        "kernel": lambda q, qd: (model.mass_matrix(q), model.bias(q, qd)),
    }


def test_every_way_out_computes_what_mpmath_does(
    rng: np.random.Generator, scale: float, figures: Figures
) -> None:
    for _ in range(num_cases(4, scale)):
        arm = Arm(random.Random(int(rng.integers(2**40))))
        for name, run in ways(arm).items():
            for _ in range(3):
                q, qd = rng.uniform(-3, 3, 2), rng.uniform(-3, 3, 2)
                for got, true in zip(run(q, qd), arm.mass_matrix_and_bias(q, qd), strict=True):
                    error = float(abs(np.asarray(got) - true).max() / abs(true).max())
                    assert error <= RTOL, f"{name} at q = {q}, q̇ = {qd}: {error}\n{arm.urdf}"
                    figures.worst("error of mimic joints against mpmath", error)
        figures.count("ratios of mimic joints by six ways out")
