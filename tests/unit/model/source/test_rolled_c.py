"""Rolled C against the recursions over floats, Pinocchio, and its own statements about size."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism, UnknownName
from dalembert.kernel.backends.c import CSource
from dalembert.mechanism import (
    Actuator,
    Builder,
    Frame,
    JointKind,
    Mechanism,
    PointSpring,
    Resistance,
)
from dalembert.mechanism.io.urdf.write import save_urdf
from dalembert.model.source.rolled_c import rolled_source
from dalembert.model.source.rolled_c.source import CALLS, FUNCTIONS
from dalembert.recursions.dynamics.articulated import forward_dynamics
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.kinematics import forward_kinematics, jacobian
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.tree import Tree
from tests.cases import num_cases
from tests.project.source_tree import ROOT
from tests.project.test_readme import blocks, run_page
from tests.random_mechanisms import random_mechanism, random_state
from tests.unit.kernel.backends.c.toolchain import (
    C99,
    CPP17,
    Library,
    compile_quietly,
    needs_compilers,
    run,
    solution_size,
)

# a few ulp of the largest entry, times the depth of the tree
TOLERANCE = {"float64": 1e-12, "float32": 1e-4}
# of the largest terms that solving with M adds up
FORWARD = {"float64": 1e-14, "float32": 5e-6}
ALL = tuple(FUNCTIONS)
SWEEPS = ("poses", "newton_euler", "composite", "solve", "world")
# by which code differs between robots: loops over few bodies are unrolled, offsets are longer
SLACK = 0.15


def with_resistance(rng: np.random.Generator, mechanism: Mechanism) -> Mechanism:
    """Give the scalar joints springs and friction, and some of them motors with spinning rotors."""
    joints, actuators = [], []
    for joint in mechanism.joints:
        if joint.is_scalar:
            numbers = [round(float(x), 3) for x in rng.uniform(0.1, 2, size=6)]
            names = ("friction", "stiffness", "rest", "stribeck", "stribeck_velocity")
            own = replace(joint.resistance, **dict(zip(names, numbers, strict=False)))
            joint = replace(joint, reference=numbers[5], resistance=own)
            if rng.random() < 0.5:
                law = Resistance(0.01, 0.02, 0.03, 0.5)
                name, turns = f"{joint.name}_drive", bool(rng.random() < 0.5)
                motor = Actuator(name, joint.name, -8, 1e-3, law, gyroscopic=turns)
                actuators.append(motor)
        joints.append(joint)
    return replace(mechanism, joints=tuple(joints), actuators=tuple(actuators))


def draw(rng: np.random.Generator, number: int, **options: Any) -> list[Mechanism]:
    """Return random mechanisms that move, with springs, friction and rotors."""
    drawn = [random_mechanism(rng, int(rng.integers(1, 7)), **options) for _ in range(number)]
    return [with_resistance(rng, mechanism) for mechanism in drawn if mechanism.nv]


def close(a: Any, b: Any, tolerance: float) -> None:
    """Compare relative to the largest entry."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    assert np.abs(a - b).max(initial=0.0) <= tolerance * np.abs(b).max(initial=1e-3)


def check_dynamics(
    library: Library, p: str, mechanism: Mechanism, state: list[Any], dtype: str
) -> None:
    tree, n, tolerance = Tree.of(mechanism).map(float), mechanism.nv, TOLERANCE[dtype]
    q, v, a = state
    zero = [0.0] * n
    tau = inverse_dynamics(tree, q, v, a)
    close(library(f"{p}_inverse_dynamics", [q, v, a], n), tau, tolerance)
    close(library(f"{p}_bias", [q, v], n), inverse_dynamics(tree, q, v, zero), tolerance)
    close(library(f"{p}_gravity", [q], n), inverse_dynamics(tree, q, zero, zero), tolerance)
    close(library(f"{p}_passive_forces", [q, v], n), passive_forces(tree, q, v), tolerance)
    M = np.array(mass_matrix(tree, q), dtype=float)
    ours = library(f"{p}_mass_matrix", [q], (n, n))
    close(ours, M, tolerance)
    assert (ours == ours.T).all()
    # a stands for tau
    theirs = forward_dynamics(tree, q, v, a)
    size = solution_size(M, theirs, a, inverse_dynamics(tree, q, v, zero))
    ours = library(f"{p}_forward_dynamics", [q, v, a], n)
    assert np.abs(ours - theirs).max() <= FORWARD[dtype] * size


def check_kinematics(
    library: Library, p: str, mechanism: Mechanism, q: list[float], dtype: str
) -> None:
    tree, links = Tree.of(mechanism).map(float), mechanism.links
    X_W = forward_kinematics(tree, q)
    poses = [X_W[tree.numbers[link.name]] for link in links]
    R, r = library(f"{p}_forward_kinematics", [q], (len(links), 3, 3), (len(links), 3))
    close(R, [X.R for X in poses], TOLERANCE[dtype])
    close(r, [X.p for X in poses], TOLERANCE[dtype])
    for i, link in enumerate(links):
        columns = [[*u, *w] for u, w in jacobian(tree, q, link.name)]
        J = library(f"{p}_jacobian", [q, i], (6, mechanism.nv))
        close(J, np.array(columns, dtype=float).T, TOLERANCE[dtype])


@needs_compilers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_random_mechanisms(
    dtype: str, tmp_path: Path, rng: np.random.Generator, scale: float
) -> None:
    mechanisms = draw(rng, max(4, num_cases(25, scale)), mimic=0.3)
    kinds = {joint.kind for mechanism in mechanisms for joint in mechanism.joints}
    assert kinds == set(JointKind)
    texts = [rolled_source(m, ALL, prefix=f"r{i}", dtype=dtype) for i, m in enumerate(mechanisms)]
    library = Library(texts, tmp_path, "-O0", "-Wdouble-promotion", dtype=dtype)
    for i, mechanism in enumerate(mechanisms):
        q, v = random_state(rng, mechanism)
        state = [x.tolist() for x in (q, v, rng.normal(size=mechanism.nv))]
        check_dynamics(library, f"r{i}", mechanism, state, dtype)
        check_kinematics(library, f"r{i}", mechanism, state[0], dtype)


@needs_compilers
def test_panda_agrees_with_pinocchio(tmp_path: Path, rng: np.random.Generator) -> None:
    pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: no oracle")
    panda = da.textbook.robots.panda()
    library = Library([rolled_source(panda, ALL, prefix="panda")], tmp_path, "-O2")
    model = pin.buildModelFromXML(save_urdf(panda))
    data = model.createData()
    last = len(panda.links) - 1
    frame = model.getFrameId(panda.links[last].name)
    for _ in range(10):
        q, v, a = rng.uniform(-2, 2, 7), rng.normal(size=7), rng.normal(size=7)
        close(
            library("panda_inverse_dynamics", [q, v, a], 7), pin.rnea(model, data, q, v, a), 1e-12
        )
        M = np.triu(pin.crba(model, data, q))
        close(library("panda_mass_matrix", [q], (7, 7)), M + np.triu(M, 1).T, 1e-12)
        close(library("panda_forward_dynamics", [q, v, a], 7), pin.aba(model, data, q, v, a), 1e-11)
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = pin.computeFrameJacobian(model, data, q, frame, world)
        close(library("panda_jacobian", [q, last], (6, 7)), J, 1e-12)


@needs_compilers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("functions", [ALL, *((name,) for name in ALL)])
def test_every_choice_of_functions_compiles(
    functions: tuple[str, ...], dtype: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    arm = draw(rng, 6)[0]
    text = rolled_source(arm, functions, prefix="r", dtype=dtype)
    compile_quietly(text, tmp_path, "-O1", "-Wdouble-promotion", "-Wfloat-conversion")


@needs_compilers
def test_nothing_passive_compiles_too(tmp_path: Path) -> None:
    arm = Builder("arm").link("a", mass=1).revolute("j", "a").build()
    text = rolled_source(arm, ["passive_forces"], prefix="r")
    compile_quietly(text, tmp_path)
    assert Library([text], tmp_path)("r_passive_forces", [[1.0], [2.0]], 1).tolist() == [0.0]


@needs_compilers
def test_optimisation_changes_no_bit(tmp_path: Path, rng: np.random.Generator) -> None:
    arm = draw(rng, 6)[-1]
    texts = [rolled_source(arm, prefix="r")]
    libraries = [Library(texts, tmp_path, o, "-ffp-contract=off") for o in ("-O0", "-O3")]
    q, v = random_state(rng, arm)
    for name in ("inverse_dynamics", "forward_dynamics"):
        slow, fast = (x(f"r_{name}", [q, v, v], arm.nv) for x in libraries)
        assert slow.tobytes() == fast.tobytes()


@needs_compilers
def test_sanitizers_find_nothing(tmp_path: Path, rng: np.random.Generator) -> None:
    mechanism = with_resistance(rng, random_mechanism(rng, 8, mimic=0.2))
    header, path = rolled_source(mechanism, ALL, prefix="r").save(tmp_path)
    # arrays of exactly the stated lengths, on the heap: one number further is found
    (tmp_path / "main.c").write_text(
        f"""#include <stdlib.h>
#include "{header.name}"
int main(void)
{{
    double *q = calloc(R_NQ, sizeof *q), *v = calloc(R_NV, sizeof *v);
    double *a = calloc(R_NV, sizeof *a), *tau = calloc(R_NV, sizeof *tau);
    double *M = calloc(R_NV*R_NV, sizeof *M), *J = calloc(6*R_NV, sizeof *J);
    double *R = calloc(9*R_NUM_LINKS, sizeof *R), *p = calloc(3*R_NUM_LINKS, sizeof *p);
    int i;
    for (i = 0; i < R_NQ; ++i)
        q[i] = 0.1*i;
    r_inverse_dynamics(q, v, a, tau);
    r_bias(q, v, tau);
    r_gravity(q, tau);
    r_passive_forces(q, v, tau);
    r_mass_matrix(q, M);
    r_forward_dynamics(q, v, tau, a);
    r_forward_kinematics(q, R, p);
    for (i = -1; i <= R_NUM_LINKS; ++i)
        r_jacobian(q, i, J);
    free(q); free(v); free(a); free(tau); free(M); free(J); free(R); free(p);
    return 0;
}}
"""
    )
    sanitize = ("-fsanitize=address,undefined", "-fno-sanitize-recover")
    run(*C99, "-g", *sanitize, tmp_path / "main.c", path, "-o", tmp_path / "main", "-lm")
    run(tmp_path / "main")


# ---- what the header states


def code_size(text: CSource, folder: Path) -> int:
    """Return the bytes of code, tables apart."""
    _, path = text.save(folder)
    run(*C99, "-Os", "-c", path, "-o", folder / "object.o")
    sections = run("size", "-A", folder / "object.o")
    return sum(int(n) for n in re.findall(r"^\.text\S*\s+(\d+)", sections, re.MULTILINE))


@needs_compilers
def test_code_does_not_grow_with_the_robot(tmp_path: Path, rng: np.random.Generator) -> None:
    arms = [random_mechanism(rng, n, kinds=("revolute",), mimic=0) for n in (6, 60)]
    short, long = (code_size(rolled_source(arm, ALL, prefix="r"), tmp_path) for arm in arms)
    assert abs(long - short) <= SLACK * short


@needs_compilers
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("level", ["-O0", "-Os", "-O2"])
def test_stack_is_what_the_header_says(
    level: str, dtype: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    arm = random_mechanism(rng, 10, kinds=("revolute", "floating"), mimic=0)
    for name in ALL:
        header, path = rolled_source(arm, [name], prefix="r", dtype=dtype).save(tmp_path)
        run(*C99, level, "-fstack-usage", "-c", path, "-o", tmp_path / "object.o")
        lines = (tmp_path / "object.su").read_text().splitlines()
        frames = {line.split("\t")[0].split(":")[-1]: int(line.split("\t")[1]) for line in lines}
        # deepest chain: the function, one sweep over the bodies, and two small ones below it
        own = frames.pop(f"r_{name}")
        sweep = max((frames.pop(f"r_Z_{x}", 0) for x in SWEEPS), default=0)
        used = own + sweep + sum(sorted(frames.values())[-2:])
        stated = re.search(r"Stack: (\d+) bytes", header.read_text())
        assert stated
        assert int(stated[1]) <= used <= int(stated[1]) + CALLS


def test_links_have_numbers() -> None:
    arm = Builder("arm").link("a b", mass=1).revolute("j", "a b").build()
    header = rolled_source(arm, ["jacobian"], prefix="r").header
    assert "#define r_link_aZ20Zb 1 /* a b */" in header
    assert "#define R_NUM_LINKS 2" in header


@needs_compilers
def test_hostile_names_stay_harmless(tmp_path: Path) -> None:
    builder = Builder('*/ int main(void) { system("x"); } /*')
    for k, name in enumerate(["int", "ñ", "q-1", "q_1", "a\n#define b", '";'][:5]):
        builder.link(name, mass=1, com=(0, 0, 1)).revolute(f"{name} */ {k}", name)
    text = rolled_source(builder.build(), ALL, prefix="int")
    assert text.header.isascii()
    compile_quietly(text, tmp_path)


# ---- what is not carried


def test_loops_are_refused_except_for_kinematics() -> None:
    linkage = da.textbook.robots.four_bar()
    linkage = linkage.bind({x: k + 1 for k, x in enumerate(linkage.parameters)})
    with pytest.raises(InvalidMechanism, match="expected a tree for inverse_dynamics"):
        rolled_source(linkage, ["inverse_dynamics"], prefix="r")
    assert "r_jacobian" in rolled_source(linkage, ["jacobian"], prefix="r").header


def test_parameters_are_refused() -> None:
    (m,) = da.parameters("m")
    arm = Builder("arm").link("a", mass=m).revolute("j", "a").build()
    with pytest.raises(InvalidMechanism, match=r"got parameters m: give them values with mech"):
        rolled_source(arm, prefix="r")


def test_nothing_that_moves_is_refused() -> None:
    post = Builder("post").link("a", mass=1).fixed("j", "a").build()
    with pytest.raises(InvalidMechanism, match="expected joints that move in post"):
        rolled_source(post, prefix="r")


def test_springs_between_links_are_refused_in_passive_forces() -> None:
    arm = Builder("arm").link("a", mass=1).revolute("j", "a").build()
    spring = PointSpring("coil", Frame("x", "world"), Frame("y", "a"), 3)
    sprung = replace(arm, springs=(spring,))
    with pytest.raises(InvalidMechanism, match="springs between parts of arm: 'coil'"):
        rolled_source(sprung, ["passive_forces"], prefix="r")
    assert rolled_source(sprung, ["mass_matrix"], prefix="r")


@pytest.mark.parametrize("functions", [["mass_matrx"], []])
def test_unknown_function_is_refused(functions: list[str]) -> None:
    arm = Builder("arm").link("a", mass=1).revolute("j", "a").build()
    with pytest.raises(UnknownName, match="expected functions of inverse_dynamics, bias"):
        rolled_source(arm, functions, prefix="r")


# ---- the page for firmware engineers


@needs_compilers
def test_page_compiles_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "c.md").read_text(encoding="utf-8")
    run_page(page, "docs/c.md")
    # the first of each kind: a tick further down is compiled by the tests of ticks
    found = {block.info: block for block in reversed([*blocks(page)]) if block.info != "python"}
    (tmp_path / "main.c").write_text(found["c"].text)
    (tmp_path / "main.cpp").write_text(found["cpp"].text)
    said = "".join(run(*line.split()) for line in found["sh"].text.splitlines())
    after = next(b for b in blocks(page) if b.first > found["sh"].first and b.info == "text")
    assert said == after.text
    # the page's C++, the single precision and the flat source compile without a warning
    run(*CPP17, "-c", "main.cpp", "-o", "main.o")
    for stem in ("panda", "panda32", "fast"):
        run(*C99, "-c", f"{stem}.c", "-o", f"{stem}.o")
