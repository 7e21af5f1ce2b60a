"""The store in PostgreSQL, for many machines."""
