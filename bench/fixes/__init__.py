"""Small bugs with failing tests, given to `mulligan fix`: how many are solved, and at what cost."""
