"""From energies and constraints to exact, proved equations of motion."""

from dalembert.mechanics.equations.at_a_point import NumericalSolution
from dalembert.mechanics.equations.derivation import Derivation, DerivationLine, DerivationStep
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.equations.forms import Forms
from dalembert.mechanics.equilibria.equilibrium import Equilibria, Equilibrium
from dalembert.mechanics.equilibria.verdict import Stability
from dalembert.mechanics.proofs.proof import Proof
from dalembert.mechanics.results.base_parameters import BaseParameters
from dalembert.mechanics.results.conserved import Conserved
from dalembert.mechanics.results.eigenvalue_bounds import EigenvalueBounds
from dalembert.mechanics.results.hamilton import HamiltonianForm
from dalembert.mechanics.results.integrability import Escape, Integrability
from dalembert.mechanics.results.lumped import Lumped
from dalembert.mechanics.results.momenta import Momenta
from dalembert.mechanics.results.regressor import Regressor
from dalembert.mechanics.results.symmetry.routh import RouthForm
from dalembert.mechanics.robots.rolling import Rolling
from dalembert.mechanics.small_motions.linearisation import Linearisation, StateSpace
from dalembert.mechanics.small_motions.modes import Mode, Modes
from dalembert.mechanics.system.beam import Beam
from dalembert.mechanics.system.body import Body, Load
from dalembert.mechanics.system.coordinates import transformed_parts
from dalembert.mechanics.system.system import System

__all__ = [
    "BaseParameters",
    "Beam",
    "Body",
    "Conserved",
    "Derivation",
    "DerivationLine",
    "DerivationStep",
    "EigenvalueBounds",
    "Equations",
    "Equilibria",
    "Equilibrium",
    "Escape",
    "Forms",
    "HamiltonianForm",
    "Integrability",
    "Linearisation",
    "Load",
    "Lumped",
    "Mode",
    "Modes",
    "Momenta",
    "NumericalSolution",
    "Proof",
    "Regressor",
    "Rolling",
    "RouthForm",
    "Stability",
    "StateSpace",
    "System",
    "transformed_parts",
]
