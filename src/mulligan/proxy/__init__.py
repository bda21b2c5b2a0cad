"""`mulligan proxy`: our guards in front of every other agent. It answers as an OpenAI-compatible server and as an
Anthropic one, and asks the server that Mulligan would ask. What is valid passes byte for byte."""
