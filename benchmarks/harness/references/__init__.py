"""Small programs that chatui is compared with; each runs as a process of its own."""
