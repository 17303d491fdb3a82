"""What the command `callbridge` runs in Python."""
