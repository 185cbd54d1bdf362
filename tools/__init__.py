"""What `./demo`, `./test` and the maintainers use to run this repository."""
