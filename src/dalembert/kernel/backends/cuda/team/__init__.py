"""Programs with more values than a thread has registers: the warps of a block share the work."""
