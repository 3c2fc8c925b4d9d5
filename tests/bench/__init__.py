"""Benchmarks: run by command, never timed tests."""
