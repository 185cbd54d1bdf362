"""Commands that describe: what a file holds, and the same in another format."""
