"""The dashboard: pages that show what the database holds, and change it."""
