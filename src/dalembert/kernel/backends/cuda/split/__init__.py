"""Programs with more values than a thread has registers, as several kernels."""
