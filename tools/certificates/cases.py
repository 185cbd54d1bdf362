"""The systems that are certified: worked examples of the sources, robots, the gallery."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import dalembert as da
from dalembert.certificates import Certificate
from dalembert.cli.find import examples, find, needs_count

SOURCES = (
    *("particle", "geared_link", "elastic_joint", "wire_particles"),
    *("rp_arm", "rp_arm_maximal", "planar_3r", "pinned_three_link"),
    *("cartesian_arm", "planar_arm"),
)
"""Worked examples of the sources."""
LARGE = (
    *("bicycle", "delta_robot", "iiwa14", "panda", "planar_arm_nr:8", "puma560_symbolic"),
    *("stewart_platform", "Planar arm with eight links"),
)
"""They take seconds."""
FREE = ("delta_robot", "quadrotor", "stewart_platform")
"""Robots with free joints, which are certified with Euler angles."""
PAGES = ("machines", "particles", "pendulums", "rolling", "ropes", "tops", "wheels")


def textbook() -> dict[str, Callable[[], Certificate]]:
    """Return how the certificate of each worked example and robot is made, by name."""
    names = [name + ":3" * needs_count(name) for name in examples()]
    order = sorted(names, key=lambda x: (x not in SOURCES, SOURCES.index(x) if x in SOURCES else 0))
    makers = {name: lambda name=name: _of_example(name) for name in order}
    return makers | {"planar_arm_nr:8": lambda: _of_example("planar_arm_nr:8")}


def gallery() -> dict[str, Callable[[], Certificate]]:
    """Return how the certificate of each system of the gallery is made, by its title."""
    from tests.laws.gallery.exhibits import exhibits

    return {
        title: lambda page=page, title=title: _of_system(exhibits(page)[title].system, title)
        for page in PAGES
        for title in exhibits(page)
    }


@cache
def _of_example(name: str) -> Certificate:
    if name in FREE:
        return da.compile(getattr(da.textbook.robots, name)().with_euler_angles()).certificate(name)
    return da.compile(find(name).description).certificate(name)


def _of_system(system: da.System, title: str) -> Certificate:
    return da.compile(system).certificate(title)
