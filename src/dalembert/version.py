"""The version of dalembert, for generated code and for packaging."""

VERSION = "0.1.0"
