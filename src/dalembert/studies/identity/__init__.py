"""What tells one function from another, whatever the version of Python."""

from dalembert.studies.identity.function import identity

__all__ = ["identity"]
