"""Calling compiled programs: arguments, results, loops, power series."""
