"""The built-in agents, as Markdown files with front matter, and how agents are read."""
