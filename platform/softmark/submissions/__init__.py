"""What a student hands in, and its state."""
