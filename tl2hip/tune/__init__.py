"""Tuning: which marks make a kernel best, by what its machine code takes and a model of one compute unit.

A candidate is a source text with marks written into it, converted as any file of a user is: what is ranked is what
can be applied.
"""
