"""What follows from equations: conserved quantities, Hamilton's form, regressors, bounds."""
