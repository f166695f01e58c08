"""What a chat completion server does with parsed output before a client sees it."""
