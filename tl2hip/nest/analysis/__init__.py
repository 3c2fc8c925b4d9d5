"""What a nest may do to its variables and arrays: integer forms, facts, conflicts and the kinds of axes."""
