"""Grade what a student derived: exact verdicts, and words for what differs."""

from dalembert.mechanics.answers.check import check_answer
from dalembert.mechanics.answers.grade import Fault, Grade
from dalembert.mechanics.answers.lines import GradedDerivation, Line, check_derivation

__all__ = ["Fault", "Grade", "GradedDerivation", "Line", "check_answer", "check_derivation"]
