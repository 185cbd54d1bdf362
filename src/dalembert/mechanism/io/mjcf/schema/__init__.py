"""What the attributes of MJCF hold, and whether those of a file do."""
