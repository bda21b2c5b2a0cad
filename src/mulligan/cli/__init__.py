"""One file a command; `viewers` show frames, `running` runs a turn so that Ctrl-C is a normal way to end."""
