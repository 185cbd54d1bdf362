"""Tell whether a change of the code changed a program: `python -m tools.program_digests`.

Traces the functions of many models (the benchmark robots and the worked examples) and hashes the
programs that all backends run, after all passes: names and shapes of inputs and outputs, every
instruction and every exact constant. Names of modules and classes, addresses in memory and the
order of Python's sets do not enter. A function that a model refuses is kept with the class of its
error.

`--json FILE` keeps the digests with the number of operations of each program; `--compare FILE`
prints what differs from those kept earlier, and exits with 1 if anything does:

    python -m tools.program_digests --json before.json
    python -m tools.program_digests --compare before.json

`--only NAME` traces the models whose names begin so. Run it in the root of a checkout.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import dalembert as da
from benchmarks.robots import robots as benchmark_robots

# functions without options; those further down are left out of models with more freedoms
STATE_FUNCTIONS = (
    *("mass_matrix", "gravity", "bias", "inverse_dynamics", "forward_dynamics"),
    *("passive_force", "dry_friction", "applied_forces"),
    *("kinetic_energy", "potential_energy", "energy"),
    *("center_of_mass", "centroidal_momentum", "configuration_rate", "normalized"),
    *("constraint_error", "constraint_jacobian", "constraint_bias", "constraint_dynamics"),
)
LONG_FUNCTIONS = ("coriolis", "regressor")
DERIVATIVES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
SECOND_DERIVATIVES = ("inverse_dynamics_second_derivatives",)
MANY, SOME, FEW = 40, 30, 7  # freedoms up to which these three groups are traced
REFERENCES = ("world", "body", "spatial")

NO_MODEL = {"block", "rp_arm_positions", "robots", "planar_chain", "planar_arm_nr"}
"""Names of the textbook that are no functions, need an argument, or give no model."""

Record = dict[str, Any]
"""Digest and operations of a program, or the error that there is none."""


class Case(NamedTuple):
    """A model: its name, what makes the description, and the options to compile it with."""

    name: str
    make: Callable[[], Any]
    options: Mapping[str, Any] = MappingProxyType({})


def cases() -> Iterator[Case]:
    """Yield the models to trace."""
    for name, make in benchmark_robots().items():
        # without passive forces, as they are timed
        yield Case(f"benchmark {name}", make, {"passive": False})
    robots, systems = da.textbook.robots, da.textbook
    for place in (robots, systems):
        for name in sorted(set(place.__all__) - NO_MODEL):
            yield Case(name, getattr(place, name))
    yield Case("planar_2r symbolic", lambda: robots.planar_arm_nr(2))
    yield Case("chain of 3 bodies", lambda: systems.planar_chain(3))
    yield Case("ur5e floating", lambda: robots.ur5e().with_floating_base())
    yield Case("quadrotor by angles", lambda: robots.quadrotor().with_euler_angles())
    yield Case("scara symbolic", lambda: robots.scara().symbolic())
    for name, make in (("many parts", many_parts), ("scalar parts", scalar_parts)):
        yield Case(name, make)
        yield Case(f"{name} smoothed", make, {"smoothing": 0.01})
        yield Case(f"{name} rigid", make, {"passive": False})


def scalar_parts() -> Any:
    """Return an open chain with each kind of scalar joint, resistance, spring and drive."""
    return _chain("scalar_parts").build()


def many_parts() -> Any:
    """Return that chain with a ball joint and two coupled joints."""
    builder = _chain("many_parts")
    builder.link("end", mass=0.8, com=(0.1, 0.02, -0.01), inertia=(0.03, 0.02, 0.01))
    builder.spherical("ball", "end", origin=(0.2, 0, 0), damping=0.3)
    builder.couple("gears", "skew", "turn", 2, 0.1)
    return builder.build()


def _chain(name: str) -> Any:
    builder = da.Builder(name)
    for i in range(5):
        com, inertia = (0.1, 0.02, -0.01), (0.03, 0.02, 0.01)
        builder.link(f"link{i}", mass=1.5 - 0.1 * i, com=com, inertia=inertia)
    at: list[dict[str, Any]] = [
        {"axis": axis, "origin": (0.3, 0, 0.1)} for axis in ("z", "y", "x", (1, 2, 2), "y")
    ]
    friction: dict[str, Any] = {
        "damping": 0.4,
        "friction": 0.3,
        "stribeck": 0.2,
        "stribeck_velocity": 0.05,
    }
    builder.revolute("turn", "link0", **at[0], **friction, armature=0.02)
    builder.prismatic("slide", "link1", **at[1], stiffness=40, rest=0.1, damping=2)
    builder.helical("screw", "link2", **at[2], pitch=0.05, friction=0.1, reference=0.2)
    builder.revolute("skew", "link3", **at[3])
    builder.revolute("follower", "link4", **at[4], mimic=("turn", 0.5, 0.1), damping=0.1)
    motor = {"gear_ratio": 50, "rotor_inertia": 0.0002, "damping": 0.001, "friction": 0.02}
    builder.actuator("motor", "turn", **motor, stribeck=0.01, stribeck_velocity=2)
    builder.actuator("spinning motor", "skew", **motor, gyroscopic=True)
    ends = ("link0", (0, 0, 0.1)), ("link3", (0.1, 0, 0))
    builder.spring("spring", *ends, stiffness=80, rest_length=0.2, damping=1)
    builder.joint_spring("belt", "screw", "slide", stiffness=5, ratio=2, rest=0.1, damping=0.2)
    return builder


def functions(model: Any, description: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the functions of a model, with what traces their programs."""
    n = model.nv
    names = [*STATE_FUNCTIONS, *LONG_FUNCTIONS * (n <= MANY)]
    names += [*DERIVATIVES * (n <= SOME), *SECOND_DERIVATIVES * (n <= FEW)]
    for name in names:
        yield name, partial(model.program, name)
    yield "forward_kinematics", partial(model.program, "forward_kinematics")
    # a system has no frames; it must say so
    links = getattr(description, "links", ())
    frame = links[-1].name if links else "tip"
    options: list[tuple[str, dict[str, Any]]] = [
        ("forward_kinematics", {"frame": frame}),
        *(("jacobian", {"frame": frame, "reference": reference}) for reference in REFERENCES),
        ("jacobian_rate", {"frame": frame}),
    ]
    if n <= MANY:
        options.append(("operational_space", {"frame": frame, "rows": (0, 1)}))
        options.append(("operational_space", {"frame": frame, "rows": tuple(range(6))}))
    for name, given in options:
        shown = ", ".join(f"{key}={value}" for key, value in given.items())
        yield f"{name}({shown})", partial(model.program, name, **given)
    yield "closed_loop", partial(_closed_loop, model)


def _closed_loop(model: Any) -> Any:
    """Return the program of q̈ with the inputs u = sin(q₁) - 2 q̇, one velocity for each."""
    q, qd, _, inputs, parameters = model.symbols
    law = [da.sin(q[0]) - 2 * qd[i % model.nv] for i in range(len(inputs))]
    ports = {"q": q, "qd": qd}
    if model.description.is_timed:
        ports["t"] = da.time
    if parameters:
        ports["parameters"] = parameters
    qdd = model.expressions("forward_dynamics", q, qd, law)
    return model.compile({"qdd": qdd}, ports, name="law").program


def record(trace: Callable[[], Any]) -> Record:
    """Return the digest and the operations of a program, or the class of the error it raises."""
    try:
        program = trace()
    except Exception as error:
        # any error is a result here: a function that newly fails must show
        return {"error": type(error).__name__}
    flops, divisions, calls, *_ = program.cost
    return {"digest": digest(program), "operations": flops + divisions + calls}


def digest(program: Any) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of what a program says."""
    found = hashlib.sha256()
    for word, ports in (("in", program.inputs), ("out", program.outputs)):
        for port in ports:
            found.update(f"{word} {port.name} {tuple(port.shape)}\n".encode())
    for x in program.code:
        found.update(f"{x.op} {tuple(x.args)} {value_text(x.value)}\n".encode())
    found.update(f"results {tuple(program.results)}\n".encode())
    return found.hexdigest()[:16]


def value_text(value: Any) -> str:
    """Return the exact text of an instruction's value: a fraction, a place of an input, or a word.

    Fractions are written in base 16, for Python refuses to write thousands of decimal digits.
    """
    if isinstance(value, tuple):
        return " ".join(map(value_text, value))
    if value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return value.hex()
    return f"{value.numerator:x}/{value.denominator:x}"


def trace_all(only: str = "") -> dict[str, Record]:
    """Return the record of every function of every model, and tell the progress."""
    found: dict[str, Record] = {}
    for name, make, options in cases():
        if not name.startswith(only):
            continue
        start, before = time.process_time(), len(found)
        try:
            description = make()
            model = da.compile(description, "numpy", **options)
        except Exception as error:
            found[name] = {"error": type(error).__name__}
        else:
            traced = functions(model, description)
            found |= {f"{name}: {key}": record(trace) for key, trace in traced}
        seconds = time.process_time() - start
        print(f"{name}: {len(found) - before} functions, {seconds:.1f} s", file=sys.stderr)
    return found


def differences(before: dict[str, Record], now: dict[str, Record]) -> list[str]:
    """Return one line for each record that differs, appears or disappears."""
    lines = []
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name), now.get(name)
        if old is None or new is None:
            lines.append(
                f"{name} {'appears' if old is None else 'disappears'}: {_said(new or old)}"
            )
        elif old != new:
            lines.append(f"{name} differs: {_said(old)} -> {_said(new)}")
    return lines


def _said(x: Record | None) -> str:
    if x is None or "error" in x:
        return x["error"] if x else "nothing"
    return f"{x['digest']} ({x['operations']} operations)"


def main() -> None:
    """Trace everything, then keep or compare it."""
    parser = argparse.ArgumentParser(prog="python -m tools.program_digests")
    parser.add_argument("--json", type=Path, help="keep the digests in this file")
    parser.add_argument("--compare", type=Path, help="digests that --json kept earlier")
    parser.add_argument("--only", default="", help="how the names of the models begin")
    given = parser.parse_args()
    now = trace_all(given.only)
    programs = sum("digest" in x for x in now.values())
    seconds = time.process_time()
    print(f"{programs} programs, {len(now) - programs} refused, {seconds:.0f} s of processor time")
    if given.json:
        given.json.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    if given.compare:
        kept = json.loads(given.compare.read_text(encoding="utf-8"))
        kept = {name: x for name, x in kept.items() if name.startswith(given.only)}
        lines = differences(kept, now)
        print(*lines, f"{len(lines)} of {len(kept)} differ", sep="\n")
        sys.exit(bool(lines))


if __name__ == "__main__":
    main()
