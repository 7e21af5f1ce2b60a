"""Tor: daemons of our own or one that already runs, and circuits through them."""
