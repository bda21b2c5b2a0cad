"""Knowledge about languages for repairs, as data: one file per language."""
