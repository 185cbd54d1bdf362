"""Grade what a student derived: exact verdicts, and words for what differs."""

from dalembert.mechanics.answers.check import check_answer
from dalembert.mechanics.answers.grade import Fault, Grade

__all__ = ["Fault", "Grade", "check_answer"]
