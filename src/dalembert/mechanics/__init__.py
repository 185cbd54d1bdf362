"""From energies and constraints to exact, proved equations of motion."""

from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.results.conserved import Conserved
from dalembert.mechanics.results.hamilton import HamiltonianForm
from dalembert.mechanics.results.integrability import Integrability
from dalembert.mechanics.results.regressor import BaseParameters, Regressor
from dalembert.mechanics.system.body import Body, Load
from dalembert.mechanics.system.coordinates import transformed_parts
from dalembert.mechanics.system.system import System

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
