"""Where pictures and videos come from: one file per source, and the registry of their names."""
