"""The mathematics and the loop that methods share: stacked restarts, updates, graphs, the solver."""
