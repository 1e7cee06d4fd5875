"""What the person writes, from the key to the prompt that is sent, without a widget."""
