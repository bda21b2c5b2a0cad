"""What the API answers with: bodies, and how the product's values become them."""
