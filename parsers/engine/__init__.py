"""One machine for every format: scanner, lexer, table, codecs. Knows neither the protocol nor a tokenizer library."""
