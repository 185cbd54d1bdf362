"""Write springs between joints and between points as tendons of MJCF."""

from __future__ import annotations

from collections.abc import Mapping

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
    law = {"name": spring.name, "stiffness": spring.stiffness, "damping": spring.damping}
    if not is_zero(spring.armature):
        law["armature"] = spring.armature
    if isinstance(spring, PointSpring):
        start = tag("spatial", {**law, "springlength": spring.rest_length}, open=True)
        ends = [tag("site", {"site": sites[x.name]}) for x in (spring.first, spring.second)]
        return [start, *indented(ends), "</spatial>"]
    # L = ±(q - ratio q'), of the sign for which the rest length is not negative
    sign = -1 if spring.rest < 0 else 1
    start = tag("fixed", {**law, "springlength": numbers([sign * spring.rest])}, open=True)
    factors = {spring.joint: sign}
    if spring.other is not None:
        factors[spring.other] = -sign * spring.ratio
    ends = [tag("joint", {"joint": x, "coef": numbers([c])}) for x, c in factors.items()]
    return [start, *indented(ends), "</fixed>"]
