"""Runs from their first target to their results file: start, load, watch, export."""
