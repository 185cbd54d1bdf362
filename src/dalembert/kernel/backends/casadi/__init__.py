"""Programs as functions of CasADi: graphs that it differentiates, or C that it loads."""

from dalembert.kernel.backends.casadi.function import casadi_function
from dalembert.kernel.backends.casadi.interface import casadi_source

__all__ = ["casadi_function", "casadi_source"]
