"""What a failing test tells, put so that a very small model can use it: context by code, narrow questions."""
