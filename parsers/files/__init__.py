"""What comes in from files and goes out to them: cases, samples, tools and results, checked at the door."""
