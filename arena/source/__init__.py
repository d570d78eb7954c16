"""What the text of a bot's Python means; it is read and never run."""
