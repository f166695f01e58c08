"""The classic parser contracts and text parsers: reasoning and tools apart, each with its own state."""
