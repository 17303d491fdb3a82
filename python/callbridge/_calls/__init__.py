"""Calls that are bound once for operands of one form, and made often."""
