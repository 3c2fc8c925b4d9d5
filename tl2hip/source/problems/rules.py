"""Rule files (TL6xx)."""
