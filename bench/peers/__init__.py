"""One driver per peer, run with the peers' own environment."""
