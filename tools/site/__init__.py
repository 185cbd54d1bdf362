"""The documentation as a site: pages of `docs/` and the API, built with Sphinx."""
