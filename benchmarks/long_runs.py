"""Long motion at defaults: processor time, errors, and whether a stiff method took over.

    python -m benchmarks.long_runs [--quick] [--write FILE]

Twenty conservative models run for 1,000 and for 10,000 or 100,000 periods each. Their processor
time is to grow with the duration, and no implicit method may take over. Errors are those of the
last configuration against closed forms, and of the energy. Then stiff models run, where an implicit
method is to take over, with what it gained.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress
from scipy.special import ellipj, ellipk

import dalembert as da
from benchmarks.machine import machine
from dalembert.model import Model
from dalembert.simulation import Trajectory, simulate

GRAVITY = 9.81
SHORT, LONG = 1_000, 100_000
MIDDLE = 10_000
"""Periods of models that take longer."""

Exact = Callable[[float], Any]


class Case(NamedTuple):
    """A model, its start, a period in seconds, how many there are, and q at any time if known."""

    name: str
    model: Model
    q: Any
    v: Any
    period: float
    exact: Exact | None = None
    periods: int = LONG
    forces: Any = None


class Row(NamedTuple):
    """A short and a long run: seconds of the processor, errors of the long one, hand-over."""

    case: Case
    short: float
    long: float
    error: float | None
    energy: float
    note: str


def system(T: Any, V: Any, *q: Any) -> Model:
    return da.compile(da.System(kinetic=T, potential=V, coordinates=list(q)))


# ---- models with closed forms


def oscillator() -> Case:
    (x,) = da.coordinates("x")
    model = system(x.dot**2 / 2, 2 * x**2, x)
    return Case("oscillator", model, [1.0], [0.0], np.pi, lambda t: [np.cos(2 * t)])


def beats() -> Case:
    """Two oscillators on a weak spring: frequencies 1 and √1.02."""
    x, y = da.coordinates("x y")
    V = (x**2 + y**2) / 2 + 0.01 * (x - y) ** 2 / 2
    w = np.sqrt(1.02)

    def exact(t: float) -> list[float]:
        a, b = np.cos(t), np.cos(w * t)
        return [(a + b) / 2, (a - b) / 2]

    model = system((x.dot**2 + y.dot**2) / 2, V, x, y)
    return Case("coupled oscillators", model, [1, 0], [0, 0], 2 * np.pi, exact)


def pendulum() -> Case:
    """sin(a/2) = k sn(K + ω t), at rest at 2 rad."""
    (a,) = da.coordinates("a")
    k, w = np.sin(1.0), np.sqrt(GRAVITY)
    K = ellipk(k**2)
    period = 4 * K / w

    def exact(t: float) -> list[float]:
        sn = ellipj(K + w * np.remainder(t, period), k**2)[0]
        return [2 * np.arcsin(k * sn)]

    model = system(a.dot**2 / 2, -GRAVITY * da.cos(a), a)
    return Case("pendulum", model, [2.0], [0.0], period, exact)


def circling_pendulum() -> Case:
    """With more energy than the top needs: a/2 = am(v t / 2), k = 2 ω / v."""
    (a,) = da.coordinates("a")
    w, v = np.sqrt(GRAVITY), 8.0
    m = (2 * w / v) ** 2
    period = 4 * ellipk(m) / v

    def exact(t: float) -> list[float]:
        turns, rest = divmod(t, period)
        return [2 * np.pi * turns + 2 * ellipj(v * rest / 2, m)[3]]

    model = system(a.dot**2 / 2, -GRAVITY * da.cos(a), a)
    return Case("circling pendulum", model, [0.0], [v], period, exact, MIDDLE)


def duffing() -> Case:
    """x = cn(√2 t), of ẍ = -x - x³."""
    (x,) = da.coordinates("x")
    w, m = np.sqrt(2.0), 0.25
    period = 4 * ellipk(m) / w

    def exact(t: float) -> list[float]:
        return [ellipj(w * np.remainder(t, period), m)[1]]

    model = system(x.dot**2 / 2, x**2 / 2 + x**4 / 4, x)
    return Case("Duffing's oscillator", model, [1.0], [0.0], period, exact)


def kepler(e: float) -> Case:
    x, y = da.coordinates("x y")
    model = system((x.dot**2 + y.dot**2) / 2, -1 / da.sqrt(x**2 + y**2), x, y)
    start, speed = [1 - e, 0.0], [0.0, np.sqrt((1 + e) / (1 - e))]
    return Case(f"planet, e = {e}", model, start, speed, 2 * np.pi, lambda t: start)


def foucault() -> Case:
    """ẍ = -x + 2 c ẏ, ÿ = -y - 2 c ẋ: z = x + i y turns by e⁻ⁱᶜᵗ."""
    x, y = da.coordinates("x y")
    c = 0.05
    T = (x.dot**2 + y.dot**2) / 2 + c * (x * y.dot - y * x.dot)
    w = np.sqrt(1 + c * c)

    def exact(t: float) -> list[float]:
        # from z = 1 at rest
        z = np.exp(-1j * c * t) * (np.cos(w * t) + 1j * c / w * np.sin(w * t))
        return [z.real, z.imag]

    model = da.compile(da.System(lagrangian=T - (x**2 + y**2) / 2, coordinates=[x, y]))
    return Case("Foucault's pendulum", model, [1, 0], [0, 0], 2 * np.pi, exact)


def charge() -> Case:
    """A charge in a magnetic field of 1, on a circle."""
    x, y = da.coordinates("x y")
    L = (x.dot**2 + y.dot**2) / 2 + (x * y.dot - y * x.dot) / 2

    def exact(t: float) -> list[float]:
        return [np.sin(t), np.cos(t) - 1]

    model = da.compile(da.System(lagrangian=L, coordinates=[x, y]))
    return Case("charge in a field", model, [0, 0], [1, 0], 2 * np.pi, exact)


def springs() -> Case:
    """Eight masses on a line between walls, in the third of their modes."""
    names = " ".join(f"x{k}" for k in range(8))
    x = da.coordinates(names)
    ends = [0, *x, 0]
    V = sum(((b - a) ** 2 for a, b in itertools.pairwise(ends)), 0 * x[0]) / 2
    T = sum((u.dot**2 for u in x), 0 * x[0]) / 2
    shape = np.sin(3 * np.pi * np.arange(1, 9) / 9)
    w = 2 * np.sin(3 * np.pi / 18)
    model = system(T, V, *x)
    period = 2 * np.pi / w
    return Case("masses on springs", model, shape, [0] * 8, period, lambda t: shape * np.cos(w * t))


def rigid_body() -> Case:
    """Free, nearly about its middle axis; the period is that of its angular velocity."""
    body = da.Builder("body", gravity=(0, 0, 0)).link("body", mass=1, inertia=(1, 2, 3))
    model = da.compile(body.spherical("free", "body").build())
    w = np.array([0.1, 1.0, 0.2])
    I = np.array([1.0, 2.0, 3.0])
    D, E = (I * I) @ (w * w), I @ (w * w)
    p = np.sqrt((I[2] - I[1]) * (D - I[0] * E) / I.prod())
    m = (I[1] - I[0]) * (I[2] * E - D) / ((I[2] - I[1]) * (D - I[0] * E))
    period = 4 * ellipk(m) / p if m < 1 else 4 * ellipk(1 / m) / (p * np.sqrt(m))
    return Case("free rigid body", model, model.neutral, w, period, None, MIDDLE)


# ---- models without


def figure_eight() -> Case:
    """Three bodies on one curve (Chenciner & Montgomery 2000, start by Simó)."""
    x = da.coordinates("x0 y0 x1 y1 x2 y2")
    pairs = [(0, 2), (0, 4), (2, 4)]
    V = -sum(
        (1 / da.sqrt((x[i] - x[j]) ** 2 + (x[i + 1] - x[j + 1]) ** 2) for i, j in pairs), 0 * x[0]
    )
    model = system(sum((u.dot**2 for u in x), 0 * x[0]) / 2, V, *x)
    a, b = 0.97000436, -0.24308753
    u, v = -0.93240737, -0.86473146
    start = [a, b, -a, -b, 0, 0]
    speed = [-u / 2, -v / 2, -u / 2, -v / 2, u, v]
    return Case("three bodies, figure eight", model, start, speed, 6.32591398, None, MIDDLE)


def toda() -> Case:
    x = da.coordinates("x y z")
    V = da.exp(x[0] - x[1]) + da.exp(x[1] - x[2]) + da.exp(x[2] - x[0])
    model = system(sum((u.dot**2 for u in x), 0 * x[0]) / 2, V, *x)
    return Case("Toda's lattice", model, [0, 0, 0], [1, 0.5, -1.5], 2 * np.pi / np.sqrt(3))


def henon_heiles() -> Case:
    x, y = da.coordinates("x y")
    V = (x**2 + y**2) / 2 + x**2 * y - y**3 / 3
    model = system((x.dot**2 + y.dot**2) / 2, V, x, y)
    return Case("Hénon and Heiles", model, [0.1, -0.1], [0.5, 0.1], 2 * np.pi)


def double_pendulum() -> Case:
    numbers = dict(zip(da.parameters("m1 m2 l1 l2 g"), (1, 1, 1, 1, GRAVITY), strict=True))
    model = da.compile(da.textbook.double_pendulum(), parameters=numbers)
    return Case("double pendulum", model, [1.0, 2.0], [0, 0], 2 * np.pi / np.sqrt(GRAVITY))


def spherical_pendulum() -> Case:
    numbers = dict(zip(da.parameters("m l g"), (1, 1, GRAVITY), strict=True))
    model = da.compile(da.textbook.spherical_pendulum(), parameters=numbers)
    return Case("spherical pendulum", model, [1.0, 0.0], [0, 2.0], 2 * np.pi / np.sqrt(GRAVITY))


def cart_pole() -> Case:
    numbers = dict(zip(da.parameters("m_c m_p l g"), (1, 0.2, 0.5, GRAVITY), strict=True))
    model = da.compile(da.textbook.cart_pole(), parameters=numbers)
    return Case("cart and pole", model, [0, 0.5], [0, 0], 2 * np.pi * np.sqrt(0.5 / GRAVITY))


def kapitza() -> Case:
    (a,) = da.coordinates("a")
    V = (GRAVITY - 1e3 * da.cos(100 * da.time)) * da.cos(a)
    model = da.compile(da.System(kinetic=a.dot**2 / 2, potential=V, coordinates=[a]))
    return Case("Kapitza's pendulum", model, [0.2], [0], 2 * np.pi / 100)


def particle_on_circle() -> Case:
    """The pendulum of 2 rad in two coordinates, with a constraint."""
    x, y = da.coordinates("x y")
    particle = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=GRAVITY * y,
        coordinates=[x, y],
        constraints=[x**2 + y**2 - 1],
    )
    angle = pendulum()
    assert angle.exact is not None

    def exact(t: float, of: Exact = angle.exact) -> list[float]:
        (a,) = of(t)
        return [np.sin(a), -np.cos(a)]

    start = [np.sin(2.0), -np.cos(2.0)]
    return Case(
        "particle on a circle", da.compile(particle), start, [0, 0], angle.period, exact, MIDDLE
    )


def panda() -> Case:
    model = da.compile(da.textbook.robots.panda())
    start = [0.0, -0.5, 0.0, -1.8, 0.0, 1.5, 0.5]
    return Case("free Panda", model, start, None, 1.0, None, SHORT)


CONSERVATIVE = (
    oscillator,
    beats,
    springs,
    pendulum,
    circling_pendulum,
    duffing,
    foucault,
    charge,
    lambda: kepler(0.5),
    lambda: kepler(0.9),
    particle_on_circle,
    rigid_body,
    figure_eight,
    toda,
    henon_heiles,
    double_pendulum,
    spherical_pendulum,
    cart_pole,
    kapitza,
    panda,
)


# ---- stiff models


def damped_spring(stiffness: float, damping: float) -> Case:
    (x,) = da.coordinates("x")
    model = da.compile(
        da.System(
            kinetic=x.dot**2 / 2,
            potential=stiffness * x**2 / 2 + GRAVITY * x,
            dissipation=damping * x.dot**2 / 2,
            coordinates=[x],
        )
    )
    name = f"spring of {stiffness:.0e} N/m with {damping:.0e} N s/m"
    return Case(name, model, [1e-3], [0], 20.0, lambda t: [-GRAVITY / stiffness], 1)


def steep_relay() -> Case:
    (x,), (u,) = da.coordinates("x"), da.inputs("u")
    model = da.compile(da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[u]))
    law = [-10 * da.tanh(1e6 * (x + x.dot))]
    return Case("-10 tanh(1e6 (x + ẋ))", model, [1.0], [0.0], 5.0, None, 1, law)


def held_panda() -> Case:
    model = da.compile(da.textbook.robots.panda())
    q, v = model.symbols.q, model.symbols.qd
    law = [-100 * a - 10 * b for a, b in zip(q, v, strict=True)]
    start = [0.0, -0.5, 0.0, -1.8, 0.0, 1.5, 0.5]
    return Case("Panda, held by 10 N m s/rad", model, start, None, 60.0, None, 1, law)


STIFF = (lambda: damped_spring(1e8, 1e5), lambda: damped_spring(1e6, 1e6), steep_relay, held_panda)


def run(case: Case, periods: int) -> tuple[Trajectory, float]:
    """Return a motion of some periods, and its processor time in seconds."""
    begin = process_time()
    end = [0.0, periods * case.period]
    motion = simulate(case.model, case.q, case.v, end, case.forces)
    return motion, process_time() - begin


def measured(case: Case, *, is_quick: bool) -> Row:
    """Return the row of a model; what has to be compiled was compiled before."""
    few = min(SHORT, case.periods) // (10 if is_quick else 1) or 1
    many = max(few, case.periods // (100 if is_quick else 1))
    run(case, 1)
    if many == few:
        many *= 10
    _, short = run(case, few)
    motion, long = run(case, many)
    if not motion.ok:
        raise SystemExit(f"{case.name}: {motion.status}")
    error = None
    if case.exact is not None:
        error = float(np.abs(motion.q[-1] - case.exact(float(motion.t[-1]))).max())
    parts = (motion.energy.kinetic, motion.energy.potential, motion.energy.total)
    scale = max(float(np.abs(x).max()) for x in parts if x is not None)
    row = Row(case._replace(periods=many), short, long, error, motion.energy_error / scale, "")
    ratio = (long / many) / (short / few)
    return row._replace(short=ratio, note="; ".join(motion.warnings) or "none")


def conservative_table(rows: list[Row]) -> str:
    columns = ("model", "periods", "CPU", "of a period", "beside 1,000", "error of q", "of energy")
    lines = [f"| {' | '.join(columns)} |", "|---" + (len(columns) - 1) * "|--:" + "|"]
    for row in rows:
        error = "" if row.error is None else f"{row.error:.0e}"
        each = 1e6 * row.long / row.case.periods
        lines.append(
            f"| {row.case.name} | {row.case.periods:,} | {row.long:.2f} s | {each:.0f} µs | "
            f"{row.short:.2f} | {error} | {row.energy:.0e} |"
        )
    return "\n".join(lines)


def stiff_table(cases: list[Case]) -> str:
    lines = ["| model | CPU | what the warning says |", "|---|--:|---|"]
    for case in cases:
        run(case, 1)
        motion, seconds = run(case, 1)
        said = "; ".join(motion.warnings).replace("|", "\\|") or "none"
        lines.append(f"| {case.name}, {case.period:g} s | {1e3 * seconds:.0f} ms | {said} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print or write the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a hundredth of the periods")
    parser.add_argument("--write", type=Path, help="put the tables into this page")
    options = parser.parse_args()
    rows: list[Row] = []
    with Progress(console=Console(), transient=True) as progress:
        task = progress.add_task("", total=len(CONSERVATIVE))
        for make in CONSERVATIVE:
            case = make()
            progress.update(task, description=case.name)
            rows.append(measured(case, is_quick=options.quick))
            progress.advance(task)
    handed = [row.case.name for row in rows if row.note != "none"]
    described = ", ".join(f"{key} {value}" for key, value in machine().items())
    said = f"An implicit method took over in {len(handed)} of {len(rows)} of these"
    said += f": {', '.join(handed)}." if handed else "."
    text = "\n\n".join(
        [
            conservative_table(rows),
            said,
            stiff_table([make() for make in STIFF]),
            f"`python -m benchmarks.long_runs`; {described}.",
        ]
    )
    print(text)
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        before, rest = page.split("<!-- long runs:begin -->")
        _, after = rest.split("<!-- long runs:end -->")
        found = f"{before}<!-- long runs:begin -->\n{text}\n<!-- long runs:end -->{after}"
        options.write.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
