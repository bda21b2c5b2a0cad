"""One file a command; `views` show frames, `running` runs a turn so that Ctrl-C is a normal way to end."""
