"""Drives parsers from outside: replays cases, records every stage, checks the laws, compares runs."""
