"""What is known of a language for repairs, as data: a file a language."""
