"""What is loaded and registered, by name."""
