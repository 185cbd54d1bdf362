"""Constant tables of the rolled source: bodies, links, paths, gravity."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable

from dalembert.model.source.rolled_c.bodies import Bodies, Body, CarriedLink
from dalembert.spatial.pose import Pose

Number = Callable[[float], str]

BODIES = """
/* a body and the joint above it; the axis of a joint with one position is z */
typedef struct {
    int parent;             /* its number, -1: the root */
    int nv;              /* velocities: 1, 3 (spherical) or 6 (floating) */
    int q, v;               /* first places in q and in v */
    $real R[9], p[3];       /* joint frame in the frame of the parent */
    $real turn, slide;      /* about and along z, for each unit of x */
    $real scale, offset;    /* x = scale q + offset */
    $real rate;             /* how fast x changes for a unit velocity */
    $real m, h[3], I[6];    /* mass, m c, inertia about the origin: xx yy zz xy xz yz */
    $real armature;
} ${p}_body;

static const ${p}_body ${p}_bodies[$NB] = {
$bodies
};
"""

LINKS = """
/* a link at rest in the frame of a body (-1: the root) */
typedef struct {
    int body;
    $real R[9], p[3];
} ${p}_link;

static const ${p}_link ${p}_links[$NL] = {
$links
};
"""

LIFT = """
/* the root accelerates against gravity */
static const $real ${p}_lift[3] = {$lift};
"""

ABOVE = """
/* for each velocity the one above it on the way to the root, -1: none */
static const int ${p}_above[$NV] = {
$above
};
"""


def body_rows(bodies: Iterable[Body], number: Number) -> str:
    """Return the initialisers of the bodies."""
    return ",\n".join(_block([_body(body, number)]) for body in bodies)


def link_rows(links: Iterable[CarriedLink], number: Number) -> str:
    """Return the initialisers of the links."""
    return ",\n".join(_block([f"{{{r.body}, {_pose(r.placement, number)}}}"]) for r in links)


def path_rows(bodies: Bodies) -> str:
    """Return the initialiser of the paths to the root."""
    return _block([", ".join(map(str, bodies.dof_parents))])


def _body(b: Body, number: Number) -> str:
    places = f"{b.parent}, {b.nv}, {b.q}, {b.v}"
    motion = _numbers((b.turn, b.slide, b.scale, b.offset, b.rate), number)
    m, h, I = b.inertia
    inertia = f"{number(float(m))}, {{{_numbers(h, number)}}}, {{{_numbers(I, number)}}}"
    return f"{{{places}, {_pose(b.placement, number)}, {motion}, {inertia}, {number(b.armature)}}}"


def _pose(X: Pose, number: Number) -> str:
    R = _numbers((x for row in X.R for x in row), number)
    return f"{{{R}}}, {{{_numbers(X.p, number)}}}"


def _numbers(values: Iterable[float], number: Number) -> str:
    return ", ".join(number(float(x)) for x in values)


def _block(lines: Iterable[str]) -> str:
    return "\n".join(
        textwrap.fill(line, 96, initial_indent="    ", subsequent_indent="     ") for line in lines
    )
