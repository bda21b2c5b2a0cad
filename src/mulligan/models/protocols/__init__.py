"""How a model is brought to call tools: natively, by a schema, or in plain text."""
