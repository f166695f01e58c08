"""What the Template page is made of."""
