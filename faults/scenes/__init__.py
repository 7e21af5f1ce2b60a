"""Whole scenes at full size, held once by hand: what happened is printed, and must hold."""
