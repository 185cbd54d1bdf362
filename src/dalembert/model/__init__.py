"""The numerical face of systems and mechanisms."""

from dalembert.model.model import Model, compile

__all__ = ["Model", "compile"]
