"""Small building blocks around the operating system, for use by every other package."""
