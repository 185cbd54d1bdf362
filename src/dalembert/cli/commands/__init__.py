"""The commands, one in each file, in a folder for each heading of the help."""
