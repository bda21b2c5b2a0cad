"""Mulligan as an agent of the Agent Client Protocol, for editors: `mulligan acp`.

`process` is the entry point: it takes over standard input and output (`stdio`) and serves one client. `agent` has what
the client can request, `session` is one conversation with it: its options (`session_options`), prompts (`prompts`),
slash commands (`commands`), questions to the user (`questions`, `review`), the editor's own files and terminals
(`editor`). `updates` and `run_updates` map frames to what an editor shows, without I/O; `history` does so for a stored
chat.

The SDK takes a second to import: only `process` and `stdio` can be imported without it.
"""
