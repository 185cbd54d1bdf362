"""Links, frames, joints, actuators, springs."""
