"""Arena: contests between Connect Four bots that students wrote."""
