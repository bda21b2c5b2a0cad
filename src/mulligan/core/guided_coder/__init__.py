"""What a small model is given of a failing test, the narrow questions it is asked, and what its answers come to."""
