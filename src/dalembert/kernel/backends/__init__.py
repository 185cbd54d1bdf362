"""The machines that run a program."""
