"""Keeps every test off the network: set before any tokenizer library is imported."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
