"""What a picture shows of a system or a mechanism, and where that is."""
