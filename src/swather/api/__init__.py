"""The API: what a server answers over HTTP, and a client of it."""
