"""Many motions at once, inside one kernel."""
