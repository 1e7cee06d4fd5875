"""Pictures on the screen: which are shown, their pixels, and how this terminal shows them."""
