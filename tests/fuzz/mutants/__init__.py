"""Kernels of this repository with every construct of Python put into them, and changed in other ways."""
