"""Readers of files.

What is missing, damaged or ambiguous is a `DataError` that names the file and the remedy.
"""
