"""How a model calls tools: natively, by a schema, or in plain text."""
