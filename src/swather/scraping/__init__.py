"""What a user writes, and how Swather calls it."""
