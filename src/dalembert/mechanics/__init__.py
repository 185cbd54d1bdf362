"""From energies and constraints to exact, proved equations of motion."""

from dalembert.mechanics.body import Body, Load
from dalembert.mechanics.conserved import Conserved
from dalembert.mechanics.coordinates import transformed_parts
from dalembert.mechanics.equations import Equations
from dalembert.mechanics.hamilton import HamiltonianForm
from dalembert.mechanics.hooks import register
from dalembert.mechanics.integrability import Integrability
from dalembert.mechanics.proof import Proof
from dalembert.mechanics.regressor import BaseParameters, Regressor
from dalembert.mechanics.system import System

__all__ = [
    "BaseParameters",
    "Body",
    "Conserved",
    "Equations",
    "HamiltonianForm",
    "Integrability",
    "Load",
    "Proof",
    "Regressor",
    "System",
    "transformed_parts",
]

register()
