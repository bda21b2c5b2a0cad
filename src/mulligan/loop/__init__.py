"""One turn, read top down. `open_turn` opens it, runs `turn` (or `guided`, `guided_code`, `delegated`) and calls
`wrap_up` after a stop. `turn` calls `next_reply`, which reads the `stream`, and `tool_phase`. All write to `record`."""
