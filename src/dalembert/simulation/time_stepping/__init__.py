"""Steps of fixed length over contacts and friction, for many robots at once."""
