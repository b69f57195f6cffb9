"""`python -m nmfrepro` is the same as `nmfrepro`."""

from .cli import main

main()
