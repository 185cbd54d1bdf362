"""What the site contains, in order: a caption and its pages, as paths in the repository.

A page of a folder, its README.md, stands for the pages of that folder that it links to.
"""

from __future__ import annotations

FRONT = "docs/index.md"

GROUPS: dict[str, tuple[str, ...]] = {
    "Start": (
        "docs/tutorials/student.md",
        "docs/tutorials/controls.md",
        "docs/tutorials/gpu.md",
        "docs/examples/README.md",
    ),
    "Learn": (
        "docs/notebooks.md",
        "docs/course.md",
        "docs/theory.md",
        "docs/textbook/README.md",
        "docs/gallery/README.md",
        "docs/check_answer.md",
        "docs/errata.md",
    ),
    "Describe": (
        "docs/system.md",
        "docs/constraints.md",
        "docs/symmetry.md",
        "docs/course_tools.md",
        "docs/variable_mass.md",
        "docs/mechanisms.md",
    ),
    "Compute": (
        "docs/kernels.md",
        "docs/c.md",
        "docs/gpu.md",
        "docs/kinematics.md",
        "docs/inverse_kinematics.md",
        "docs/analysis.md",
        "docs/trajectories.md",
        "docs/simulation.md",
        "docs/events.md",
        "docs/rollouts.md",
        "docs/sweeps.md",
        "docs/identification.md",
        "docs/control.md",
        "docs/optimal_control.md",
        "docs/benchmarks.md",
    ),
    "Show": ("docs/command_line.md", "docs/studio.md", "docs/report.md"),
    "Prove": ("docs/proofs.md", "docs/certificates.md", "docs/trust.md", "SECURITY.md"),
    "Come from": (
        "docs/coming_from/pinocchio.md",
        "docs/coming_from/mujoco.md",
        "docs/coming_from/drake.md",
        "docs/coming_from/roboticstoolbox.md",
    ),
    "Extend": ("docs/architecture.md", "docs/extending/README.md", "CONTRIBUTING.md"),
    "Reference": (
        "docs/notation.md",
        "docs/platforms.md",
        "docs/decisions/README.md",
        "CHANGELOG.md",
    ),
}
