"""Budgets and plans (TL5xx)."""
