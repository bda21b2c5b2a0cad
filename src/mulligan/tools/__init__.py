"""What a model can call: one file per tool, each a schema and a thin executor."""
