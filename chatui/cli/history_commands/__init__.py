"""The commands of `chatui history`; imported only when one of them is called, since they need SQLite."""
