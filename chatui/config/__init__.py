"""Settings, providers as data, paths."""
