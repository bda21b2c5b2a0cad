"""What we measure. `python -m bench` runs everything, `python -m bench guards overhead` what is named."""
