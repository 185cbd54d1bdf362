"""How well an arm moves, pushes and carries: manipulability, singularities, workspace, loads."""

from dalembert.analysis.ellipsoid import Ellipsoid, ellipsoid
from dalembert.analysis.manipulability import (
    VelocityErrorBounds,
    condition_number,
    dexterity,
    dynamic_jacobian,
    dynamic_manipulability,
    isotropy,
    manipulability,
    singular_values,
    velocity_error_bounds,
)
from dalembert.analysis.payload import Payload, payload
from dalembert.analysis.pictures.animate import Animation, animate
from dalembert.analysis.pictures.phase_portrait import phase_portrait
from dalembert.analysis.plot_arm import plot_arm
from dalembert.analysis.reflected_inertia import ReflectedInertia, reflected_inertia
from dalembert.analysis.rest_torque import RestTorque, rest_torque
from dalembert.analysis.singular_search import SingularConfigurations, singular_search
from dalembert.analysis.small_motions.equilibria import RestPoint, equilibria
from dalembert.analysis.small_motions.linearise import (
    LinearMotion,
    Motion,
    linearise,
    linearise_along,
)
from dalembert.analysis.small_motions.modes import VibrationModes, modes
from dalembert.analysis.structure import Structure, evaluate_structure
from dalembert.analysis.symbolic import SymbolicEllipsoid
from dalembert.analysis.workspace import Workspace, workspace

__all__ = [
    "Animation",
    "Ellipsoid",
    "LinearMotion",
    "Motion",
    "Payload",
    "ReflectedInertia",
    "RestPoint",
    "RestTorque",
    "SingularConfigurations",
    "Structure",
    "SymbolicEllipsoid",
    "VelocityErrorBounds",
    "VibrationModes",
    "Workspace",
    "animate",
    "condition_number",
    "dexterity",
    "dynamic_jacobian",
    "dynamic_manipulability",
    "ellipsoid",
    "equilibria",
    "evaluate_structure",
    "isotropy",
    "linearise",
    "linearise_along",
    "manipulability",
    "modes",
    "payload",
    "phase_portrait",
    "plot_arm",
    "reflected_inertia",
    "rest_torque",
    "singular_search",
    "singular_values",
    "velocity_error_bounds",
    "workspace",
]
