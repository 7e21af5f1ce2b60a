"""What is measured against: PostgreSQL, Redis, and a web server, each private to one run."""
