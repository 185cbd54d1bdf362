"""Motion in time: constrained, without drift, with an account of its energy."""

from dalembert.simulate.dop853 import DOP853
from dalembert.simulate.energy import Energy
from dalembert.simulate.events import Crossing
from dalembert.simulate.gauss_legendre import GaussLegendre
from dalembert.simulate.heyoka_method import Heyoka
from dalembert.simulate.impacts import Contact, JointLimits
from dalembert.simulate.method import Method, Problem, Step, Stepper
from dalembert.simulate.radau import Radau
from dalembert.simulate.rk4 import RK4
from dalembert.simulate.rollout_result import Rollouts
from dalembert.simulate.rollouts import rollout
from dalembert.simulate.run import simulate
from dalembert.simulate.semi_implicit_euler import SemiImplicitEuler
from dalembert.simulate.stabilisation import Baumgarte
from dalembert.simulate.sticking import DryFriction, JointFriction
from dalembert.simulate.taylor import Taylor
from dalembert.simulate.trajectory import Trajectory
from dalembert.simulate.variational import Variational
from dalembert.simulate.watch import Event, Occurrence, Watcher

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
