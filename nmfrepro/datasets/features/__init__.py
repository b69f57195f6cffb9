"""Images as histograms of visual words: SIFT descriptors, a k-means codebook, counts (TNMF, CNMF papers)."""
