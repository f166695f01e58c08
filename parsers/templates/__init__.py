"""Chat templates: read them, render them safely, and tell which parser names fit what they teach a model to write."""
