"""The result of a simulation: recording, resampling, files, plots."""
