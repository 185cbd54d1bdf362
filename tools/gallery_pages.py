"""Write docs/gallery/README.md, equations of systems outside the textbook, with their real output.

    python -m tools.gallery_pages

The tests run the code of the page again and compare what it prints.
"""

from pathlib import Path
from typing import NamedTuple

from tools.textbook_pages import output_of

PAGE = Path(__file__).resolve().parent.parent / "docs" / "gallery" / "README.md"


class Exhibit(NamedTuple):
    """A system: title, code that makes ``eq``, and what is printed of it."""

    title: str
    code: str
    shown: str = "print(eq)"


EXHIBITS = (
    Exhibit(
        "Bead on a hoop that turns at a constant rate",
        """\
(theta,) = da.coordinates("theta")
m, R, g, W = da.parameters("m R g Omega")
T = m * R**2 * (theta.dot**2 + W**2 * da.sin(theta) ** 2) / 2
eq = da.System(kinetic=T, potential=-m * g * R * da.cos(theta), coordinates=[theta]).equations()""",
    ),
    Exhibit(
        "Block on a wedge that slides",
        """\
X, s = da.coordinates("X s")
M, m, g, alpha = da.parameters("M m g alpha")
speed2 = (X.dot + s.dot * da.cos(alpha)) ** 2 + (s.dot * da.sin(alpha)) ** 2
T = M * X.dot**2 / 2 + m * speed2 / 2
V = -m * g * s * da.sin(alpha)
eq = da.System(kinetic=T, potential=V, coordinates=[X, s]).equations()""",
        "print(eq)\nprint(eq.accelerations())",
    ),
    Exhibit(
        "Crane: a trolley with a rope of varying length",
        """\
x, l, theta = da.coordinates("x l theta")
M, m, g = da.parameters("M m g")
F, tau = da.inputs("F tau")
X, Y = x + l * da.sin(theta), -l * da.cos(theta)
T = M * x.dot**2 / 2 + m * (X.dot**2 + Y.dot**2) / 2
eq = da.System(
    kinetic=T, potential=m * g * Y, coordinates=[x, l, theta], forces=[F, tau, 0]
).equations()""",
        "print(eq)\nprint(eq.M)",
    ),
    Exhibit(
        "Ball on a beam",
        """\
r, phi = da.coordinates("r phi")
m, R, J, I, g = da.parameters("m R J I g")
(tau,) = da.inputs("tau")
T = (m + I / R**2) * r.dot**2 / 2 + (J + m * r**2) * phi.dot**2 / 2
eq = da.System(
    kinetic=T, potential=m * g * r * da.sin(phi), coordinates=[r, phi], forces=[0, tau]
).equations()""",
    ),
    Exhibit(
        "Spring pendulum",
        """\
r, theta = da.coordinates("r theta")
m, k, l, g = da.parameters("m k l g")
T = m * (r.dot**2 + r**2 * theta.dot**2) / 2
V = k * (r - l) ** 2 / 2 - m * g * r * da.cos(theta)
eq = da.System(kinetic=T, potential=V, coordinates=[r, theta]).equations()""",
    ),
    Exhibit(
        "Double pendulum on a cart with a spring and dampers",
        """\
x, q1, q2 = da.coordinates("x q1 q2")
M, m, l, g, k, b, c1, c2 = da.parameters("M m l g k b c1 c2")
X1, Y1 = x + l * da.sin(q1), -l * da.cos(q1)
X2, Y2 = X1 + l * da.sin(q1 + q2), Y1 - l * da.cos(q1 + q2)
T = M * x.dot**2 / 2 + m * (X1.dot**2 + Y1.dot**2 + X2.dot**2 + Y2.dot**2) / 2
V = m * g * (Y1 + Y2) + k * x**2 / 2
R = b * x.dot**2 / 2 + c1 * q1.dot**2 / 2 + c2 * q2.dot**2 / 2
eq = da.System(kinetic=T, potential=V, dissipation=R, coordinates=[x, q1, q2]).equations()""",
    ),
    Exhibit(
        "Heavy top in Euler angles",
        """\
phi, theta, psi = da.coordinates("phi theta psi")
A, C, m, g, l = da.parameters("A C m g l")
s, c = da.sin(theta), da.cos(theta)
T = A * (theta.dot**2 + (phi.dot * s) ** 2) / 2 + C * (psi.dot + phi.dot * c) ** 2 / 2
eq = da.System(kinetic=T, potential=m * g * l * c, coordinates=[phi, theta, psi]).equations()""",
        "print(eq)\nprint(eq.hamiltonian())",
    ),
    Exhibit(
        "Particle on a sphere, by a constraint",
        """\
x, y, z = da.coordinates("x y z")
m, R, g = da.parameters("m R g")
T = m * (x.dot**2 + y.dot**2 + z.dot**2) / 2
eq = da.System(
    kinetic=T,
    potential=m * g * z,
    coordinates=[x, y, z],
    constraints=[x**2 + y**2 + z**2 - R**2],
).equations()""",
        "print(eq)\nprint(*eq.multipliers())",
    ),
    Exhibit(
        "Skate on ice",
        """\
x, y, phi = da.coordinates("x y phi")
m, I = da.parameters("m I")
(F,) = da.inputs("F")
T = m * (x.dot**2 + y.dot**2) / 2 + I * phi.dot**2 / 2
eq = da.System(
    kinetic=T,
    coordinates=[x, y, phi],
    forces=[F * da.cos(phi), F * da.sin(phi), 0],
    velocity_constraints=[da.sin(phi) * x.dot - da.cos(phi) * y.dot],
).equations()""",
        "print(eq)\nprint(eq.accelerations())",
    ),
    Exhibit(
        "Cylinder that rolls inside a fixed cylinder",
        """\
(theta,) = da.coordinates("theta")
m, R, r, g = da.parameters("m R r g")
T = m * ((R - r) * theta.dot) ** 2 / 2 + m * r**2 / 2 * ((R - r) / r * theta.dot) ** 2 / 2
V = -m * g * (R - r) * da.cos(theta)
eq = da.System(kinetic=T, potential=V, coordinates=[theta]).equations()""",
    ),
    Exhibit(
        "One leg of a planar 3-RRR robot",
        """\
q1, p1, x, y = da.coordinates("q1 p1 x y")
m, l, I = da.parameters("m l I")
(tau,) = da.inputs("tau")
Xc, Yc = l * da.cos(q1) + l / 2 * da.cos(p1), l * da.sin(q1) + l / 2 * da.sin(p1)
T = I * q1.dot**2 / 2 + m * (Xc.dot**2 + Yc.dot**2) / 2 + I * p1.dot**2 / 2
eq = da.System(
    kinetic=T + m * (x.dot**2 + y.dot**2) / 2,
    coordinates=[q1, p1, x, y],
    forces=[tau, 0, 0, 0],
    constraints=[
        l * da.cos(q1) + l * da.cos(p1) - x,
        l * da.sin(q1) + l * da.sin(p1) - y,
    ],
).equations()""",
    ),
    Exhibit(
        "Planar arm with eight links",
        "eq = da.textbook.planar_chain(8).equations()",
        "print(str(eq)[:900], '…')",
    ),
)


def page_text() -> str:
    """Return the Markdown of the page."""
    about = (
        "Systems outside the textbook, as they are typed and as they are printed. "
        "Written by `python -m tools.gallery_pages`."
    )
    parts = [
        "# Gallery",
        about,
        "```python\nimport dalembert as da\n```",
    ]
    for exhibit in EXHIBITS:
        code = f"{exhibit.code}\n{exhibit.shown}"
        output = output_of(f"import dalembert as da\n{code}", {})
        parts += [f"## {exhibit.title}", f"```python\n{code}\n```", f"```text\n{output}```"]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page_text(), encoding="utf-8")
    print(f"written: {PAGE.name}")
