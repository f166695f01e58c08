"""Engine events become the deltas and fields of a chat completion."""
