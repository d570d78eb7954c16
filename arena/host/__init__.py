"""A bot's process, its zygote, its sandbox, and the referee's protocol."""
