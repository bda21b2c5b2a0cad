"""Code that a model writes as a whole: what is missing, the prompt, and how the reply is read and placed."""
