"""What every room needs: exceptions, names, text, files, plain records."""
