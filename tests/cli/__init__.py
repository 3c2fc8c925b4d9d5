"""The command line, mostly in this process; a few runs of the real program for streams and exit codes."""
