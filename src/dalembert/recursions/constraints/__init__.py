"""Loop closures and the dynamics under constraints."""
