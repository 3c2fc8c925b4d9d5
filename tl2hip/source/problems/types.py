"""Names, dtypes, shapes and expressions (TL3xx)."""
