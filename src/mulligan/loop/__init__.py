"""One turn, read top down: `turn` calls `stream`, `tool_phase` and `wrap_up`, and writes through `record`."""
