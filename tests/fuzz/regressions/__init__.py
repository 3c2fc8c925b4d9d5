"""Programs that once failed, each with the cases that showed it: a name, a text, and shapes with modes of data."""
