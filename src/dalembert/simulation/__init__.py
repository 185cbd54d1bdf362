"""Motion in time: constrained, without drift, with an account of its energy."""

from dalembert.simulation.dop853 import DOP853
from dalembert.simulation.energy import Energy
from dalembert.simulation.events import Crossing
from dalembert.simulation.gauss_legendre import GaussLegendre
from dalembert.simulation.heyoka_method import Heyoka
from dalembert.simulation.impacts import Contact, JointLimits
from dalembert.simulation.method import Method, Problem, Step, Stepper
from dalembert.simulation.radau import Radau
from dalembert.simulation.rk4 import RK4
from dalembert.simulation.rollout_result import Rollouts
from dalembert.simulation.rollouts import rollout
from dalembert.simulation.run import simulate
from dalembert.simulation.semi_implicit_euler import SemiImplicitEuler
from dalembert.simulation.stabilisation import Baumgarte
from dalembert.simulation.sticking import DryFriction, JointFriction
from dalembert.simulation.taylor import Taylor
from dalembert.simulation.trajectory import Trajectory
from dalembert.simulation.variational import Variational
from dalembert.simulation.watch import Event, Occurrence, Watcher

__all__ = [
    "DOP853",
    "RK4",
    "Baumgarte",
    "Contact",
    "Crossing",
    "DryFriction",
    "Energy",
    "Event",
    "GaussLegendre",
    "Heyoka",
    "JointFriction",
    "JointLimits",
    "Method",
    "Occurrence",
    "Problem",
    "Radau",
    "Rollouts",
    "SemiImplicitEuler",
    "Step",
    "Stepper",
    "Taylor",
    "Trajectory",
    "Variational",
    "Watcher",
    "rollout",
    "simulate",
]
