"""Measured motions in a table: columns of a CSV file by the names of joints."""

from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.errors import FileError
from dalembert.files import read_regular

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array

MAX_BYTES = 1 << 30


class Measurements:
    """Columns by name: ``t``, ``q:JOINT``, ``tau:JOINT``, perhaps ``qd:JOINT``, ``qdd:JOINT``."""

    def __init__(self, path: Path) -> None:
        import io

        import numpy as np

        self.path = path
        text = read_regular(path, MAX_BYTES).decode("utf-8-sig", "replace")
        lines = [line for line in text.splitlines() if line.strip() and line[0] != "#"]
        if len(lines) < 2:
            raise FileError(f"{path}: expected column names and rows of numbers, got neither")
        self.names = [name.strip() for name in lines[0].split(",")]
        try:
            table = np.loadtxt(io.StringIO("\n".join(lines[1:])), delimiter=",", ndmin=2)
        except ValueError as error:
            raise FileError(
                f"{path}: expected numbers below a line of column names, got {error}"
            ) from None
        if table.shape[1] != len(self.names):
            raise FileError(
                f"{path}: expected rows of {len(self.names)} numbers below the column names, "
                f"got {table.shape[0]} rows of {table.shape[1]}"
            )
        self.table = table

    def has(self, kind: str) -> bool:
        """Tell whether there are columns of a kind."""
        return any(name.startswith(f"{kind}:") for name in self.names)

    def times(self) -> "Array":
        """Return the column t, ``(n,)``, in s."""
        return self._columns(["t"])[:, 0]

    def of(self, kind: str, model: "Model") -> "Array":
        """Return the columns of a kind, in the order of the model.

        A simulation names its torques by their symbols: if all are there, their order counts.
        """
        joints = model.configuration.q_names if kind == "q" else model.configuration.v_names
        names = [f"{kind}:{joint}" for joint in joints]
        in_order = [name for name in self.names if name.startswith(f"{kind}:")]
        is_by_symbol = kind == "tau" and not set(names) & set(in_order)
        return self._columns(in_order if is_by_symbol and len(in_order) == len(names) else names)

    def _columns(self, names: list[str]) -> "Array":
        missing = [name for name in names if name not in self.names]
        if missing:
            raise FileError(
                f"{self.path}: expected the columns {', '.join(names[:8])}, got "
                f"{', '.join(self.names[:8])}: name them as q:JOINT and tau:JOINT in the first line"
            )
        return self.table[:, [self.names.index(name) for name in names]]
