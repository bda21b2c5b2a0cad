"""What a wrong line may have been meant to be: each operator turns one kind of slip round."""
