"""The words of the product: frozen, shared by every room, importing nothing of ours."""
