"""Control of the whole body: accelerations, forces and torques of a tick by one program."""

from dalembert.control.whole_body.contact import SurfaceContact
from dalembert.control.whole_body.tick import BodyTick
from dalembert.control.whole_body.whole_body import WholeBody

__all__ = ["BodyTick", "SurfaceContact", "WholeBody"]
