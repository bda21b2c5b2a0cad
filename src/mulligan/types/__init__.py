"""The product's vocabulary: frozen data that every package shares. Imports nothing else of ours."""
