"""Response bodies of the API, and how our types become them."""
