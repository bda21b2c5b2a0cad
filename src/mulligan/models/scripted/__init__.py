"""The fake that ships with the product: a model that follows a script, in process or behind a socket."""
