"""The load, the terminal and the measuring of the benchmarks; nothing here is imported by chatui."""
