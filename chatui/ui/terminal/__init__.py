"""The app's side of the terminal: what is written to it, what arrives from it, what it can do."""
