"""The fault campaign: real processes, killed, stopped and cut off, and a ledger."""
