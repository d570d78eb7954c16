"""The inside of a bot's process, and the protocol that it shares with the referee."""
