"""What goes over the line to a model server and back: one adapter for each API, its errors, retries."""
