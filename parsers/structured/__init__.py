"""What a grammar engine would be told to enforce, computed and explained; no grammar engine runs here (card 05)."""
