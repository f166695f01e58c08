"""Codecs: raw argument text in, JSON text that is safe to append out."""
