"""Dependence analysis and index bounds (TL4xx)."""
