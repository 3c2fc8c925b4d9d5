"""What the reader refuses: syntax, constructs, names of kernels (TL1xx)."""
