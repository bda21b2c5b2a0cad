"""What a failed test says, put as a call, what it gave and what was expected."""
