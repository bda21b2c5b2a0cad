"""Dialogs with the user at the terminal: the prompt, questions, reviews, the conversation."""
