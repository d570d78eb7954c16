"""A bot's process, the zygote that it is forked from, its sandbox, and the referee's protocol."""
