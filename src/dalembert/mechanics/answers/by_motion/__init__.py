"""Grade equations by the motion that they describe."""
