"""Who shows frames, and how: JSON, a live terminal, plain lines; turns, runs and drills alike."""
