"""Swather beside its peers on one machine: `make bench`, or `python -m bench --help`."""
