"""A results folder on disk: what is written of runs and trials, and read back."""
