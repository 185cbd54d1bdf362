"""The command line: `dalembert COMMAND FILE`."""

from dalembert.cli.app import app, main

__all__ = ["app", "main"]
