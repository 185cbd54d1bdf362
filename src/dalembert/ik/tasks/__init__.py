"""What inverse kinematics shall reach."""
