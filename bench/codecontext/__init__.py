"""What indexing a large tree costs, and whether it finds what is there."""
