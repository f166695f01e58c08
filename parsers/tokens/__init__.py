"""From text to token ids and back: tokenizers, the detokenizer's held text, the cuts that make a stream."""
