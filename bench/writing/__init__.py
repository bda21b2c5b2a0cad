"""Code that the model writes, on public sets that are not part of this project: QuixBugs, and Exercism's exercises."""
