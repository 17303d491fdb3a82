"""Custom calls as programs lower them, made into calls that XLA serves."""
