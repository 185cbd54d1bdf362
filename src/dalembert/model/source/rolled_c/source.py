"""Rolled C: loops over joints and constant tables, for microcontrollers.

Code does not grow with the robot, only its tables do, which are constant and stay in flash.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from dalembert.errors import InvalidMechanism, UnknownName, nearest
from dalembert.expr import symbol_text
from dalembert.kernel.backends.c.header import (
    ArrayDoc,
    CArray,
    CSource,
    Prototype,
    banner,
    comment,
    file_stem,
    header_text,
    restrict,
    signature,
)
from dalembert.kernel.backends.c.names import comment_text, identifier
from dalembert.kernel.backends.c.reals import Real, literal, real_type
from dalembert.mechanism import Mechanism
from dalembert.mechanism.moved_inertia import require_inertia
from dalembert.model.source.rolled_c import tables
from dalembert.model.source.rolled_c.arrays import mechanism_arrays
from dalembert.model.source.rolled_c.bodies import Bodies, moving_bodies
from dalembert.model.source.rolled_c.functions import FUNCTIONS, parts_of
from dalembert.model.source.rolled_c.resistance import passive_tables
from dalembert.recursions.lump import lumped
from dalembert.recursions.tree import Tree
from dalembert.spatial.scalar import is_zero

WITH_LOOPS = ("forward_kinematics", "jacobian", "passive_forces")
DEFAULT = ("inverse_dynamics", "bias", "mass_matrix", "forward_dynamics", "forward_kinematics")
# scalars, small vectors and return addresses of the deepest chain of calls
CALLS = 1024


def rolled_source(
    mechanism: Mechanism,
    functions: Sequence[str] = DEFAULT,
    *,
    prefix: str,
    dtype: str = "float64",
) -> CSource:
    """Return C99, also valid C++17, whose code does not depend on the number of joints.

    Every joint kind, branches, mimic joints, armature and rotors are carried. The dynamics are
    those of the tree, M(q) a + h(q, v); springs and friction of joints are ``passive_forces``.

    Args:
        mechanism: with numbers for all its parameters.
        functions: which to write, of `FUNCTIONS`.
        prefix: of all names; also the name of the files.
        dtype: float64 or float32.

    Raises:
        InvalidMechanism: loops or couplings (for the dynamics), parameters without a number,
            nothing that moves, springs that ``passive_forces`` does not carry.
        UnknownName: a function that does not exist.
    """
    real = real_type(dtype)
    check(mechanism, functions)
    tree = lumped(Tree.of(mechanism)).map(float)
    bodies = moving_bodies(tree, [link.name for link in mechanism.links])
    chosen = [name for name in FUNCTIONS if name in functions]
    stem = file_stem(prefix)
    prototypes = [_prototype(name, prefix, mechanism, bodies, real) for name in chosen]
    first = banner(mechanism.name, "dynamics by loops over joints", [p.name for p in prototypes])
    constants = _table_bytes(bodies, len(mechanism.links), real)
    notes = [f"Constant tables: at most {constants} bytes."]
    header = header_text(
        stem, real, first, notes, _constants(mechanism, prefix, stem, chosen), prototypes
    )
    text = _text(tree, bodies, mechanism, chosen, prototypes, stem, real)
    return CSource(header, f'{first}\n#include "{stem}.h"\n\n#include <math.h>\n{text}', stem)


def check(mechanism: Mechanism, functions: Sequence[str]) -> None:
    """Raise for functions that do not exist, and for what the tables do not carry."""
    for name in functions or [""]:
        if name not in FUNCTIONS:
            raise UnknownName(
                f"expected functions of {', '.join(FUNCTIONS)}, got {name!r} "
                f"({nearest(name, FUNCTIONS)})"
            )
    if mechanism.parameters:
        names = ", ".join(map(symbol_text, mechanism.parameters))
        raise InvalidMechanism(
            f"expected numbers in the tables of {mechanism.name}, got parameters {names}: give "
            "them values with mechanism.bind"
        )
    if not mechanism.nv:
        raise InvalidMechanism(f"expected joints that move in {mechanism.name}, got none")
    heavy = [repr(s.name) for s in mechanism.springs if not is_zero(s.armature)]
    if heavy:
        raise InvalidMechanism(
            f"expected inertia of links and joints alone in the tables of {mechanism.name}, got "
            f"armature of springs {', '.join(heavy[:3])}: use the flat source, which carries it"
        )
    closed = [*mechanism.loops, *mechanism.couplings]
    refused = [name for name in functions if name not in WITH_LOOPS]
    if refused:
        require_inertia(mechanism)
    if closed and refused:
        raise InvalidMechanism(
            f"expected a tree for {', '.join(refused)}, got {mechanism.name} closed by "
            f"{', '.join(repr(x.name) for x in closed[:3])}: the rolled source has no constraint "
            "forces; use the flat one"
        )


def _prototype(
    name: str, prefix: str, mechanism: Mechanism, bodies: Bodies, real: Real
) -> Prototype:
    f, docs = FUNCTIONS[name], mechanism_arrays(mechanism)
    docs |= {
        "f": docs["tau"],
        "R": ArrayDoc("R[9 i + 3 r + c]: row r and column c of link i; columns are its axes"),
        "p": ArrayDoc("p[3 i + r]: origin of link i [m]"),
        "J": ArrayDoc("columns are those of the velocities"),
    }
    sizes = {"nq": mechanism.nq, "nv": mechanism.nv, "links": len(mechanism.links)}

    def arrays(parameters: Sequence[tuple[str, tuple[str | int, ...]]]) -> tuple[CArray, ...]:
        return tuple(
            CArray(a, tuple(sizes[n] if isinstance(n, str) else n for n in shape), *docs[a])
            for a, shape in parameters
        )

    stack = f.stack(len(bodies.bodies), mechanism.nv) * real.size
    numbers = (("link", "number of the link; J is zero for one that does not move"),)
    return Prototype(
        identifier(f"{prefix}_{name}"),
        f.does,
        arrays(f.inputs),
        arrays(f.outputs),
        f"Stack: {stack} bytes of arrays and at most {CALLS} for calls.",
        numbers if name == "jacobian" else (),
    )


def _constants(mechanism: Mechanism, prefix: str, stem: str, chosen: Sequence[str]) -> str:
    """Return the sizes, and the numbers of the links, as macros."""
    lines = [f"#define {stem.upper()}_NQ {mechanism.nq}"]
    lines.append(f"#define {stem.upper()}_NV {mechanism.nv}")
    lines.append(f"#define {stem.upper()}_NUM_LINKS {len(mechanism.links)}")
    if {"forward_kinematics", "jacobian"} & set(chosen):
        lines += ["", comment(["Links by number."])]
        for i, link in enumerate(mechanism.links):
            name = identifier(f"{prefix}_link_{link.name}")
            lines.append(f"#define {name} {i} /* {comment_text(link.name)} */")
    return "\n".join(lines) + "\n\n"


def _text(
    tree: Tree,
    bodies: Bodies,
    mechanism: Mechanism,
    chosen: Sequence[str],
    prototypes: Sequence[Prototype],
    stem: str,
    real: Real,
) -> str:
    """Return tables, the parts that the functions need, and the functions."""
    fill = filled(tree, bodies, f"{stem}_Z", real)
    parts = parts_of([FUNCTIONS[name].body for name in chosen])
    if "passive_forces" in chosen:
        parts.append(passive_part(tree, fill, real))
    for name, prototype in zip(chosen, prototypes, strict=True):
        parts.append(f"\n{signature(prototype, real, restrict(stem))}{FUNCTIONS[name].body}")
    return Template("".join(parts)).substitute(fill)


def filled(tree: Tree, bodies: Bodies, prefix: str, real: Real) -> dict[str, str | int]:
    """Return what the parts are filled with; M has its numbers side by side."""

    def number(x: float) -> str:
        return literal(x, real)

    return {
        "p": prefix,
        "real": real.type,
        **{name: f"{name}{real.suffix}" for name in ("sin", "cos", "exp")},
        "NB": len(bodies.bodies),
        "NV": tree.nv,
        "NL": len(bodies.links),
        "bodies": tables.body_rows(bodies.bodies, number),
        "links": tables.link_rows(bodies.links.values(), number),
        "above": tables.path_rows(bodies),
        "lift": ", ".join(number(0.0 - float(x)) for x in tree.gravity),
        "stride": "",
        "step": "",
    }


def passive_part(tree: Tree, fill: dict[str, str | int], real: Real) -> str:
    """Return the tables of springs and friction; add them and ``passive``, a body, to the fill.

    Raises:
        InvalidMechanism: springs that the tables do not carry.
    """
    part, more = passive_tables(tree, lambda x: literal(x, real))
    fill |= more | {"passive": Template(str(more["passive"])).substitute({**fill, **more})}
    return part


def _table_bytes(bodies: Bodies, num_links: int, real: Real) -> int:
    """Return the size of the tables of bodies and links, with whole numbers of four bytes."""
    return len(bodies.bodies) * (28 * real.size + 16) + num_links * 13 * real.size
