"""More kernels as users write them, beside the goldens: other types, spellings and shapes of loop."""
