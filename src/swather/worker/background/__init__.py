"""The loops of a worker beside its event loop, a file for each, with start and stop."""
