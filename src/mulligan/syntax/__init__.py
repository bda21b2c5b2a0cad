"""Everything that knows a programming language: grammars, functions, imports, comments and strings, test files."""
