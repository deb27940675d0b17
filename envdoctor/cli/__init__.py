"""The command line: parse, call, write, exit code. No logic of its own."""
