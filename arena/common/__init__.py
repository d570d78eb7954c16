"""Shared basics: exceptions, names, text, files, plain records."""
