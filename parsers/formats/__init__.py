"""One file per wire grammar; rows only, no control flow."""
