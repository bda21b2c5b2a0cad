"""`mulligan proxy`: our guards in front of any other agent. It acts as an OpenAI-compatible server and as an Anthropic
one, and forwards to the server that Mulligan would use. Valid traffic passes byte for byte."""
