"""The eight tools over the code index: each a schema and a thin executor, with a result written for a model."""
