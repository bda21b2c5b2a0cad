"""The command line. `commands` has one file per command, `views` shows frames, `running` runs a turn so that Ctrl-C
ends it cleanly."""
