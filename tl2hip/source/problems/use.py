"""Command line and configuration (TL8xx)."""
