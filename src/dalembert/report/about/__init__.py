"""What a report is about: a mechanism or a system, with what its sections share."""

from dalembert.report.about.choose import subject_of
from dalembert.report.about.subject import Subject

__all__ = ["Subject", "subject_of"]
