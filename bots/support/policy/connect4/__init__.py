"""Modules of the policy course."""
