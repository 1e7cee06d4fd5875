"""The turns of a transcript without a widget: where they stand, what is marked, what is found."""
