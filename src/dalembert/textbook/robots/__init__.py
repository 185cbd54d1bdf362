"""Robots with published or symbolic parameters, each a ready mechanism."""

from dalembert.textbook.robots.industrial import (
    puma560,
    puma560_symbolic,
    stanford_arm,
)
from dalembert.textbook.robots.lightweight import iiwa14, panda, ur5e
from dalembert.textbook.robots.linkages import five_bar, four_bar, slider_crank
from dalembert.textbook.robots.parallel import stewart_platform
from dalembert.textbook.robots.planar import (
    cart_pole_mechanism,
    planar_3r,
    planar_arm_nr,
    rp_mechanism,
    scara,
)
from dalembert.textbook.robots.spatial_loops import (
    bennett_linkage,
    delta_robot,
    pantograph,
)
from dalembert.textbook.robots.vehicles import bicycle, biped, quadrotor

__all__ = [
    "bennett_linkage",
    "bicycle",
    "biped",
    "cart_pole_mechanism",
    "delta_robot",
    "five_bar",
    "four_bar",
    "iiwa14",
    "panda",
    "pantograph",
    "planar_3r",
    "planar_arm_nr",
    "puma560",
    "puma560_symbolic",
    "quadrotor",
    "rp_mechanism",
    "scara",
    "slider_crank",
    "stanford_arm",
    "stewart_platform",
    "ur5e",
]
