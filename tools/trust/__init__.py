"""The promises of the project, each with the tests that keep it and the figures they saw."""
