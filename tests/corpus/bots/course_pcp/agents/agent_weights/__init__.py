from .weights import generate_move as generate_move
