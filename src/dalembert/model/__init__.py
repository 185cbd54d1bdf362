"""The numerical face of systems and mechanisms."""

from dalembert.model.model import Model, compile, compile_function

__all__ = ["Model", "compile", "compile_function"]
