"""Pictures of motions: phase portraits and animations."""
