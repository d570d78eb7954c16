"""What several test modules share that is no fixture."""
