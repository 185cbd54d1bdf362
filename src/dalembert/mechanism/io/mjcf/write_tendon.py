"""Write springs between joints and between points as tendons of MJCF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dalembert.mechanism.io.xml.write import indented, numbers, tag
from dalembert.mechanism.parts.spring import Bushing, JointSpring, PointSpring, Spring
from dalembert.spatial.scalar import is_zero


def is_tendon(spring: Spring) -> bool:
    """Tell whether MuJoCo can have a spring: linear, stiffness and length not negative."""
    if (
        isinstance(spring, Bushing)
        or spring.potential is not None
        or spring.dissipation is not None
    ):
        return False
    return spring.stiffness >= 0 and (isinstance(spring, JointSpring) or spring.rest_length >= 0)


def tendon(spring: Spring, sites: Mapping[str, str]) -> list[str]:
    """Return a spring as a tendon; ``sites`` are the names of its ends' sites."""
    assert not isinstance(spring, Bushing)
    law: dict[str, Any] = {
        "name": spring.name,
        "stiffness": spring.stiffness,
        "damping": spring.damping,
    }
    if not is_zero(spring.armature):
        law["armature"] = spring.armature
    if isinstance(spring, PointSpring):
        start = tag("spatial", {**law, "springlength": spring.rest_length}, open=True)
        ends = [tag("site", {"site": sites[x.name]}) for x in (spring.first, spring.second)]
        return [start, *indented(ends), "</spatial>"]
    # L = ±Σ k q, of the sign for which the rest length is not negative
    sign = -1 if spring.rest < 0 else 1
    law["springlength"] = numbers([sign * spring.rest])
    return fixed_tendon(law, [(joint, sign * k) for joint, k in spring.terms])


def fixed_tendon(law: Mapping[str, Any], terms: Iterable[tuple[str, Any]]) -> list[str]:
    """Return a tendon of length Σ k q over joints."""
    ends = [tag("joint", {"joint": joint, "coef": numbers([k])}) for joint, k in terms]
    return [tag("fixed", law, open=True), *indented(ends), "</fixed>"]
