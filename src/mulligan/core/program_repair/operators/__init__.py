"""Small changes of a place, each by the slip that it takes back."""
