"""What the lists of the app hold; all of them are shown by the same screen."""
