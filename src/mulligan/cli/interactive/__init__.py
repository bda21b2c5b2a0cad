"""Talking with the person at the terminal: the prompt, questions, reviews, the conversation."""
