"""Who drives a run, and where its workers live."""
