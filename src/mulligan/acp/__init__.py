"""Mulligan as an agent of the Agent Client Protocol, for editors: `mulligan acp`.

`process` is the way in: it takes standard input and output (`stdio`) and serves one client. `agent` is what the client
may ask for, `session` one conversation with it: its options (`session_options`), prompts (`prompts`), slash commands
(`commands`), questions to the person (`questions`, `review`), the editor's own files and terminals (`editor`).
`updates` and `run_updates` map frames to what an editor shows, without any I/O; `history` does so for a stored chat.

The SDK takes a second to import: only `process` and `stdio` can be imported without it.
"""
