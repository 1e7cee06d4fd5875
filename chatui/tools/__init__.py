"""Tools that models may call: local commands, a few built-in ones that only read, and MCP servers.

Invariant: nothing here decides whether a call is run; a tool does exactly what `what_runs` says.
"""
