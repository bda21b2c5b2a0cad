"""The built-in agents, as Markdown files with front matter, and the readers of agent files."""
