"""Quadratic programs, and what solves them: below all that controls a robot by one each tick."""

from dalembert.quadratic.daqp import Daqp
from dalembert.quadratic.levels import solve_by_levels
from dalembert.quadratic.program import UNBOUNDED, Program, Squares
from dalembert.quadratic.solver import Solver

__all__ = ["UNBOUNDED", "Daqp", "Program", "Solver", "Squares", "solve_by_levels"]
