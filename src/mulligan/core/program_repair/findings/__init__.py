"""What cheap checks notice in a source file."""
