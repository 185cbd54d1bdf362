"""The studio: a robot or system in the browser."""

from dalembert.studio.launch import Launch
from dalembert.studio.view import Studio, check_packages, view

__all__ = ["Launch", "Studio", "check_packages", "view"]
