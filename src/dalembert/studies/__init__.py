"""Studies: a function over many rows, on all cores or machines, kept in a folder."""

from dalembert.studies.each import Each
from dalembert.studies.engines.base import Engine, WorkerLost
from dalembert.studies.engines.local import Local
from dalembert.studies.engines.ray import Ray
from dalembert.studies.folder import DoneRange
from dalembert.studies.points.base import Points
from dalembert.studies.points.grid import Grid
from dalembert.studies.points.latin_hypercube import LatinHypercube
from dalembert.studies.points.random import Random
from dalembert.studies.points.sobol import Sobol
from dalembert.studies.points.table import Table
from dalembert.studies.results import Results
from dalembert.studies.rows import Row, Rows
from dalembert.studies.study import Study
from dalembert.studies.sweep import Sweep, sweep
from dalembert.studies.task import Chunk, Task

__all__ = [
    "Chunk",
    "DoneRange",
    "Each",
    "Engine",
    "Grid",
    "LatinHypercube",
    "Local",
    "Points",
    "Random",
    "Ray",
    "Results",
    "Row",
    "Rows",
    "Sobol",
    "Study",
    "Sweep",
    "Table",
    "Task",
    "WorkerLost",
    "sweep",
]
