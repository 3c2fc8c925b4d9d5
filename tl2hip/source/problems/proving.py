"""What verify finds (TL7xx)."""
