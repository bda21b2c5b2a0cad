"""How high the function that is really wrong stands among those that a fix run suspects."""
