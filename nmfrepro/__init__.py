"""nmfrepro reproduces the experiments of five papers on nonnegative matrix factorization of images."""

__version__ = "0.1.0"
