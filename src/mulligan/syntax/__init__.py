"""Everything that knows a programming language. Each is a record in `languages/`; all else here is for any of them."""
