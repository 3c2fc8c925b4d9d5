"""Layouts are right by counting every element."""
