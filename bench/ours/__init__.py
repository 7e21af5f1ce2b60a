"""Swather's own drivers, and the limits: a bare client, hand-written SQL."""
