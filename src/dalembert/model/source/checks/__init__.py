"""Check generated code before it is handed over: it is run, and compared with the programs."""

from dalembert.model.source.checks.check import check_code, check_rolled

__all__ = ["check_code", "check_rolled"]
