"""Parsers that turn a language model's token stream into reasoning, content and tool calls."""

__version__ = "0.1.0"
