"""Readers of file formats: each checks sizes before it allocates, and names the file in every error."""
