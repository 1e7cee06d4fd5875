"""Values and pure state: events, messages, turns, errors. No I/O, no clock."""
