"""The article's notation: a kernel as a function that declares tensors and tile loops and stores tiles.

On NumPy a tile index stands for the whole extent of its loop, so that running the function once computes all
of every output. Without arrays the same calls only record what is declared and which indices are stored.
"""
