"""What can be asked of the server, one module a theme. Each has a `router`."""
