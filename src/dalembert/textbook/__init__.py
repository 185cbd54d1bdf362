"""The sources' worked examples, each a ready system."""

from dalembert.textbook import robots
from dalembert.textbook.classics import (
    cart_pole,
    double_pendulum,
    driven_pendulum,
    free_rigid_body,
    furuta_pendulum,
    knife_edge,
    planar_chain,
    rolling_disc,
    spherical_pendulum,
)
from dalembert.textbook.cmu import rp_arm, rp_arm_maximal, rp_arm_positions
from dalembert.textbook.penn import block, cartesian_arm, planar_arm
from dalembert.textbook.savin import pinned_three_link
from dalembert.textbook.sustech import elastic_joint, geared_link, particle, wire_particles

__all__ = [
    "block",
    "cart_pole",
    "cartesian_arm",
    "double_pendulum",
    "driven_pendulum",
    "elastic_joint",
    "free_rigid_body",
    "furuta_pendulum",
    "geared_link",
    "knife_edge",
    "particle",
    "pinned_three_link",
    "planar_arm",
    "planar_chain",
    "robots",
    "rolling_disc",
    "rp_arm",
    "rp_arm_maximal",
    "rp_arm_positions",
    "spherical_pendulum",
    "wire_particles",
]
