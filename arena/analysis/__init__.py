"""What a move was worth."""
