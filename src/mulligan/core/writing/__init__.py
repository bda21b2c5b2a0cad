"""Code that a model writes whole: what is missing, what it is told, and how its reply is read and put in place."""
