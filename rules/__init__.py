"""tl2hip's own rules, one file for each kind of idiom; README.md says how to write one."""
