"""What a model can call: one file a tool, each a schema and a thin executor."""
