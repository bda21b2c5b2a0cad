"""The eight tools over the code index: each a schema and a thin executor, with a result made for a model to read."""
