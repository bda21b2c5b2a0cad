"""Views that show the frames of turns, runs and drills: JSON, a live terminal, plain lines."""
