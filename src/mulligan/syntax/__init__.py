"""Everything about programming languages. Each is a record in `languages/`; the other modules work for all of them."""
