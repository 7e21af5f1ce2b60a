"""The version of this release, where everything can read it."""

__version__ = "0.1.0"
