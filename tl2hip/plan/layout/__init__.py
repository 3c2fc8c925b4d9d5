"""Layouts: who holds which element of a tile in registers, where it lies in LDS, and what an access costs.

A pure library over whole numbers: nothing here knows a nest or a plan.
"""
