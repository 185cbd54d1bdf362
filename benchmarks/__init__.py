"""Benchmarks: dalembert and its peers on the same job, in one run."""
