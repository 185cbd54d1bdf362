"""The studio: a robot or system in the browser."""

from dalembert.studio.view import Studio, view

__all__ = ["Studio", "view"]
