"""What users import: types, marks, dims and the `kernel` decorator. Runs on NumPy, with no compiler.

Nothing here imports NumPy until a kernel is called, and nothing but `Kernel`'s methods reaches the compiler.
"""
