"""The stores beside hand-written SQL in the same run: `python -m bench.store --help`."""
