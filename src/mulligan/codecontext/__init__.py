"""What the code says of itself: parsed, never run."""
