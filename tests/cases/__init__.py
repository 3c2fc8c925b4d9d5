"""Kernels that try to make tl2hip print something wrong, by area, each proven."""
