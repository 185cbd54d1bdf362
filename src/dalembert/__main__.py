"""`python -m dalembert`: the command line."""

from dalembert.cli import main

main()
