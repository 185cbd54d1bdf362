"""Links, joints and their resistance, actuators, springs."""
