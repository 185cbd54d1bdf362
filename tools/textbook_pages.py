"""Write docs/textbook/*.md, a page for each worked example: `python -m tools.textbook_pages`.

Every page holds code with its real output, then the derivation step by step. The tests run the code
again and compare; `--check` tells whether the pages are those that this program would write.
"""

import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tools.page_outputs import output_of
from tools.printed_results import RESULTS, table

HEAD = """\
# Worked examples

Each page has the equations, what the source prints beside them, and the derivation step by step.
The last column says how many of the formulas of the source, typed in by hand, are the same.
Written by `python -m tools.textbook_pages`.

| system | source | the same |
|---|---|---|"""
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "textbook"


class Page(NamedTuple):
    """A worked example: title, where it comes from, code beyond printing the equations."""

    name: str
    title: str
    source: str
    more: tuple[str, ...] = ()
    by_screws: bool = False


PAGES = (
    Page("particle", "Particle under gravity and a force", "SUSTech, section 11"),
    Page(
        "geared_link",
        "Geared single link",
        "SUSTech, example 1. Virtual work gives the reflected damping r² B_m + B_l; the slides "
        "print r B_m + B_l (see [errata](../errata.md)).",
    ),
    Page(
        "elastic_joint",
        "Single link with an elastic joint",
        "SUSTech, example 2. q₁ is the link, q₂ the motor.",
    ),
    Page(
        "wire_particles",
        "Two particles on a rigid wire",
        "SUSTech, holonomic constraints and virtual work",
        (
            "(tension,) = eq.multipliers()\nprint(tension)",
            "print(eq.virtual_displacements())",
        ),
    ),
    Page("rp_arm", "RP arm in generalized coordinates", "CMU 24-760 homework 6, problem 1"),
    Page(
        "rp_arm_maximal",
        "RP arm in maximal coordinates",
        "CMU 24-760 homework 6, problem 2. CMU writes +Aᵀλ on the left; here Aᵀλ stands on the "
        "right and is the force that the constraints exert on the arm.",
        (
            """\
reduced = eq.change_coordinates(da.textbook.rp_arm_positions())
print(reduced)
print(da.equal(reduced.residual, da.textbook.rp_arm().equations().residual))""",
        ),
    ),
    Page(
        "planar_3r",
        "Planar 3R arm of point masses, by screws",
        "SDM283, equations of motion of a robotic arm, in fourteen steps (see "
        "[errata](../errata.md))",
        (
            """\
for proof in arm.prove():
    print(proof.verdict, proof.statement)""",
        ),
        by_screws=True,
    ),
    Page(
        "pinned_three_link",
        "Three-link mechanism with a pinned end",
        "Savin, lecture 4, homework: three coordinates, two constraints. The lecture prints no "
        "solution to compare with",
        ("print(eq.A)", "print(eq.degrees_of_freedom())"),
    ),
    Page("cartesian_arm", "Two-link Cartesian arm", "Penn, videos 3.5"),
    Page(
        "planar_arm",
        "Two-link planar arm",
        "Penn, videos 3.6 and 3.7",
        (
            """\
for i, plane in enumerate(eq.christoffel(), 1):
    for j, row in enumerate(plane, 1):
        for k, c in enumerate(row, 1):
            if c != 0:
                print(f"c_{i}{j}{k} = {c}")""",
            "print(eq.base_parameters().combinations)",
        ),
    ),
    Page("double_pendulum", "Double pendulum", "Classical; both angles from the vertical"),
    Page(
        "spherical_pendulum",
        "Spherical pendulum",
        "Classical; φ is cyclic",
        ('for c in eq.conserved():\n    print(c.name, "=", c.quantity)',),
    ),
    Page(
        "cart_pole",
        "Cart-pole",
        "Classical; θ from the downward vertical",
        ("print(eq.accelerations())",),
    ),
    Page(
        "furuta_pendulum",
        "Furuta pendulum",
        "Cazzolato and Prime, On the dynamics of the Furuta pendulum (2011), for a "
        "slender rod without friction. Their θ₂ is our θ₂ + π, "
        "their Ĵ₀ is J + m r² and Ĵ₂ is I + m l²",
    ),
    Page(
        "driven_pendulum",
        "Pendulum with a driven pivot",
        "Classical; the pivot moves as a cos(ω t), so time occurs explicitly",
    ),
    Page(
        "free_rigid_body",
        "Free rigid body in Euler angles",
        "Landau and Lifshitz, Mechanics; angles z-x-z",
        ('for c in eq.conserved():\n    print(c.name, "=", c.quantity)',),
    ),
    Page(
        "rolling_disc",
        "Rolling disc",
        "Bloch, Nonholonomic Mechanics and Control, section 1.4; u there is τ here",
        ("print(eq.integrability())", "print(eq.multipliers())"),
    ),
    Page(
        "knife_edge",
        "Knife edge on an inclined plane",
        "Classical; nonholonomic",
        ("print(eq.integrability())", "print(eq.accelerations())"),
    ),
)


# pages whose code prints no equations of motion; `tools.page_outputs` writes what it prints
OTHERS = {
    "angular_velocity": (
        "Angular velocity is linear in the velocities",
        "Savin, lecture 4, homework 1",
    ),
    "block": ("Inertia tensor of a block", "Penn, video 3.4"),
    "planar_arm_ik": (
        "Numerical inverse kinematics and manipulability of the 2R arm",
        "SUSTech, section 11",
    ),
}


def page_text(page: Page) -> str:
    """Return the Markdown of one page."""
    names: dict[str, Any] = {}
    if page.by_screws:
        made = f"arm = da.textbook.robots.{page.name}()\neq = arm.equations()"
    else:
        made = f"eq = da.textbook.{page.name}().equations()"
    first = f"import dalembert as da\n\n{made}\nprint(eq)"
    parts = [f"# {page.title}", f"Source: {page.source.rstrip('.')}."]
    for code in (first, *page.more):
        parts += [f"```python\n{code}\n```", f"```text\n{output_of(code, names)}```"]
    if compared := table(page.name, names["eq"]):
        parts.append(compared)
    by_screws = page.by_screws
    positions = names["da"].textbook.rp_arm_positions() if page.name == "rp_arm_maximal" else None
    derivation = (
        names["arm"].screw_derivation()
        if by_screws
        else names["eq"].derivation(positions=positions)
    )
    return "\n\n".join([*parts, derivation.markdown()])


def index_text() -> str:
    """Return the table of contents."""
    rows = [
        f"| [{page.title}]({page.name}.md) | {_origin(page)} | {_compared(page)} |"
        for page in PAGES
    ]
    rows += [f"| [{title}]({name}.md) | {origin} | |" for name, (title, origin) in OTHERS.items()]
    return "\n".join([HEAD, *rows]) + "\n"


def _origin(page: Page) -> str:
    """Return where an example comes from, without remarks."""
    return re.split(r"; |: |\. |, for | \(see|\.$", page.source)[0]


def _compared(page: Page) -> str:
    results = RESULTS.get(page.name, ())
    wrong = sum(bool(printed.note) for printed in results)
    words = f"{len(results) - wrong} of {len(results)}" if results else "none printed"
    return f"{words} ([errata](../errata.md))" if wrong else words


def pages() -> dict[Path, str]:
    """Return every file with its text."""
    files = {FOLDER / f"{page.name}.md": page_text(page) for page in PAGES}
    return {FOLDER / "README.md": index_text(), **files}


def main() -> None:
    """Write the pages, or check them."""
    stale = []
    for path, text in pages().items():
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        if current != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    verb = "out of date" if "--check" in sys.argv else "written"
    print(f"{len(stale)} pages {verb}: {', '.join(stale) or 'none'}")
    if stale and "--check" in sys.argv:
        sys.exit(1)


if __name__ == "__main__":
    main()
