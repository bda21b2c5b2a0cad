"""The routes, one module per topic. Each has a `router`."""
