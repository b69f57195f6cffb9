"""Papers as BibTeX: which to cite for a method, a dataset, or a published table."""

from __future__ import annotations

from collections.abc import Iterable

from .. import __version__, algorithms, datasets, papers
from ..core.errors import SpecError, suggest

Fields = dict[str, str]

_NIPS = "Advances in Neural Information Processing Systems"
_TPAMI = "IEEE Transactions on Pattern Analysis and Machine Intelligence"
_SIGIR = "International ACM SIGIR Conference on Research and Development in Information Retrieval"

# fmt: off
ENTRIES: dict[str, tuple[str, Fields]] = {
    "nmfrepro2026": ("misc", {
        "author": "{The nmfrepro authors}",
        "title": "nmfrepro: reproducing experiments on nonnegative matrix factorization of images",
        "howpublished": f"Software, version {__version__}", "year": "2026",
    }),
    # The five papers whose experiments are reproduced.
    "chen2013nlcf": ("article", {
        "author": "Chen, Y. and Zhang, J. and Cai, D. and Liu, W. and He, X.",
        "title": "Nonnegative Local Coordinate Factorization for Image Representation",
        "journal": "IEEE Transactions on Image Processing",
        "volume": "22", "number": "3", "pages": "969--979", "year": "2013", "doi": "10.1109/TIP.2012.2224357",
    }),
    "xiao2014tnmf": ("article", {
        "author": "Xiao, Y. and Zhu, Z. and Zhao, Y. and Wei, Y. and Wei, S. and Li, X.",
        "title": "Topographic {NMF} for Data Representation",
        "journal": "IEEE Transactions on Cybernetics",
        "volume": "44", "number": "10", "pages": "1762--1771", "year": "2014",
        "doi": "10.1109/TCYB.2013.2294215",
    }),
    "gu2009twodnmf": ("inproceedings", {
        "author": "Gu, Q. and Zhou, J.",
        "title": "Two Dimensional Nonnegative Matrix Factorization",
        "booktitle": "IEEE International Conference on Image Processing", "year": "2009",
    }),
    "liao2015ldsnmf": ("inproceedings", {
        "author": "Liao, Q. and Guan, N. and Zhang, Q.",
        "title": "Logdet Divergence Based Sparse Non-negative Matrix Factorization for Stable Representation",
        "booktitle": "IEEE International Conference on Data Mining", "year": "2015",
    }),
    "liu2012cnmf": ("article", {
        "author": "Liu, H. and Wu, Z. and Li, X. and Cai, D. and Huang, T. S.",
        "title": "Constrained Nonnegative Matrix Factorization for Image Representation",
        "journal": _TPAMI, "volume": "34", "number": "7", "pages": "1299--1311", "year": "2012",
        "doi": "10.1109/TPAMI.2011.217",
    }),
    # Methods that they compare with.
    "lee2001nmf": ("inproceedings", {
        "author": "Lee, D. D. and Seung, H. S.",
        "title": "Algorithms for Non-negative Matrix Factorization",
        "booktitle": _NIPS, "volume": "13", "pages": "556--562", "year": "2001",
    }),
    "hoyer2002nnsc": ("inproceedings", {
        "author": "Hoyer, P. O.", "title": "Non-negative Sparse Coding",
        "booktitle": "IEEE Workshop on Neural Networks for Signal Processing",
        "pages": "557--565", "year": "2002",
    }),
    "hoyer2004nmfsc": ("article", {
        "author": "Hoyer, P. O.", "title": "Non-negative Matrix Factorization with Sparseness Constraints",
        "journal": "Journal of Machine Learning Research", "volume": "5", "pages": "1457--1469",
        "year": "2004",
    }),
    "cai2011gnmf": ("article", {
        "author": "Cai, D. and He, X. and Han, J. and Huang, T. S.",
        "title": "Graph Regularized Nonnegative Matrix Factorization for Data Representation",
        "journal": _TPAMI, "volume": "33", "number": "8", "pages": "1548--1560", "year": "2011",
    }),
    "xu2003ncw": ("inproceedings", {
        "author": "Xu, W. and Liu, X. and Gong, Y.",
        "title": "Document Clustering Based on Non-negative Matrix Factorization",
        "booktitle": _SIGIR, "pages": "267--273", "year": "2003",
    }),
    "xu2004cf": ("inproceedings", {
        "author": "Xu, W. and Gong, Y.", "title": "Document Clustering by Concept Factorization",
        "booktitle": _SIGIR, "pages": "202--209", "year": "2004",
    }),
    "shashua2005ntf": ("inproceedings", {
        "author": "Shashua, A. and Hazan, T.",
        "title": "Non-negative Tensor Factorization with Applications to Statistics and Computer Vision",
        "booktitle": "International Conference on Machine Learning", "year": "2005",
    }),
    "ye2004glram": ("inproceedings", {
        "author": "Ye, J.", "title": "Generalized Low Rank Approximations of Matrices",
        "booktitle": "International Conference on Machine Learning", "year": "2004",
    }),
    "li2007nmsf": ("inproceedings", {
        "author": "Li, L. and Zhang, Y.-J.", "title": "Non-negative Matrix-Set Factorization",
        "booktitle": "International Conference on Image and Graphics", "year": "2007",
    }),
    "turk1991pca": ("article", {
        "author": "Turk, M. and Pentland, A.", "title": "Eigenfaces for Recognition",
        "journal": "Journal of Cognitive Neuroscience",
        "volume": "3", "number": "1", "pages": "71--86", "year": "1991",
    }),
    "le2011rica": ("inproceedings", {
        "author": "Le, Q. V. and Karpenko, A. and Ngiam, J. and Ng, A. Y.",
        "title": "{ICA} with Reconstruction Cost for Efficient Overcomplete Feature Learning",
        "booktitle": _NIPS, "volume": "24", "year": "2011",
    }),
    "liu2012anp": ("inproceedings", {
        "author": "Liu, H. and Yang, Z. and Wu, Z. and Li, X.",
        "title": "A-optimal Non-negative Projection for Image Representation",
        "booktitle": "IEEE Conference on Computer Vision and Pattern Recognition", "year": "2012",
    }),
    "yang2011nsdr": ("inproceedings", {
        "author": "Yang, Y. and Shen, H. T. and Nie, F. and Ji, R. and Zhou, X.",
        "title": "Nonnegative Spectral Clustering with Discriminative Regularization",
        "booktitle": "AAAI Conference on Artificial Intelligence", "year": "2011",
    }),
    "kong2011l21": ("inproceedings", {
        "author": "Kong, D. and Ding, C. and Huang, H.",
        "title": "Robust Nonnegative Matrix Factorization Using {L21}-norm",
        "booktitle": "ACM International Conference on Information and Knowledge Management", "year": "2011",
    }),
    "du2012cim": ("inproceedings", {
        "author": "Du, L. and Li, X. and Shen, Y.-D.",
        "title": "Robust Nonnegative Matrix Factorization via Half-quadratic Minimization",
        "booktitle": "IEEE International Conference on Data Mining", "year": "2012",
    }),
    "lloyd1982kmeans": ("article", {
        "author": "Lloyd, S. P.", "title": "Least Squares Quantization in {PCM}",
        "journal": "IEEE Transactions on Information Theory",
        "volume": "28", "number": "2", "pages": "129--137", "year": "1982",
    }),
    # Datasets.
    "samaria1994orl": ("inproceedings", {
        "author": "Samaria, F. S. and Harter, A. C.",
        "title": "Parameterisation of a Stochastic Model for Human Face Identification",
        "booktitle": "IEEE Workshop on Applications of Computer Vision", "year": "1994",
    }),
    "lecun1998mnist": ("article", {
        "author": "LeCun, Y. and Bottou, L. and Bengio, Y. and Haffner, P.",
        "title": "Gradient-based Learning Applied to Document Recognition",
        "journal": "Proceedings of the IEEE",
        "volume": "86", "number": "11", "pages": "2278--2324", "year": "1998",
    }),
    "belhumeur1997yale": ("article", {
        "author": "Belhumeur, P. N. and Hespanha, J. P. and Kriegman, D. J.",
        "title": "Eigenfaces vs. {Fisherfaces}: Recognition Using Class Specific Linear Projection",
        "journal": _TPAMI, "volume": "19", "number": "7", "pages": "711--720", "year": "1997",
    }),
    "georghiades2001yaleb": ("article", {
        "author": "Georghiades, A. S. and Belhumeur, P. N. and Kriegman, D. J.",
        "title": "From Few to Many: Illumination Cone Models for Face Recognition under Variable Lighting "
                 "and Pose",
        "journal": _TPAMI, "volume": "23", "number": "6", "pages": "643--660", "year": "2001",
    }),
    "lee2005yaleb": ("article", {
        "author": "Lee, K.-C. and Ho, J. and Kriegman, D. J.",
        "title": "Acquiring Linear Subspaces for Face Recognition under Variable Lighting",
        "journal": _TPAMI, "volume": "27", "number": "5", "pages": "684--698", "year": "2005",
    }),
    "graham1998umist": ("incollection", {
        "author": "Graham, D. B. and Allinson, N. M.",
        "title": "Characterising Virtual Eigensignatures for General Purpose Face Recognition",
        "booktitle": "Face Recognition: From Theory to Applications",
        "series": "NATO ASI Series F", "volume": "163", "year": "1998",
    }),
    "nene1996coil20": ("techreport", {
        "author": "Nene, S. A. and Nayar, S. K. and Murase, H.",
        "title": "Columbia Object Image Library ({COIL-20})",
        "institution": "Columbia University", "number": "CUCS-005-96", "year": "1996",
    }),
    "martinez1998ar": ("techreport", {
        "author": "Martinez, A. M. and Benavente, R.", "title": "The {AR} Face Database",
        "institution": "Computer Vision Center", "number": "24", "year": "1998",
    }),
    "lyons1998jaffe": ("inproceedings", {
        "author": "Lyons, M. and Akamatsu, S. and Kamachi, M. and Gyoba, J.",
        "title": "Coding Facial Expressions with {Gabor} Wavelets",
        "booktitle": "IEEE International Conference on Automatic Face and Gesture Recognition",
        "year": "1998",
    }),
    "feifei2004caltech101": ("inproceedings", {
        "author": "Fei-Fei, L. and Fergus, R. and Perona, P.",
        "title": "Learning Generative Visual Models from Few Training Examples: An Incremental {Bayesian} "
                 "Approach Tested on 101 Object Categories",
        "booktitle": "IEEE CVPR Workshop on Generative-Model Based Vision", "year": "2004",
    }),
    "alpaydin1998digits": ("misc", {
        "author": "Alpaydin, E. and Kaynak, C.", "title": "Optical Recognition of Handwritten Digits",
        "howpublished": "UCI Machine Learning Repository", "year": "1998",
    }),
    "xiao2017fashionmnist": ("misc", {
        "author": "Xiao, H. and Rasul, K. and Vollgraf, R.",
        "title": "{Fashion-MNIST}: A Novel Image Dataset for Benchmarking Machine Learning Algorithms",
        "howpublished": "arXiv:1708.07747", "year": "2017",
    }),
}
# fmt: on

PAPERS = {
    "nlcf": "chen2013nlcf",
    "tnmf": "xiao2014tnmf",
    "twodnmf": "gu2009twodnmf",
    "ldsnmf": "liao2015ldsnmf",
    "cnmf": "liu2012cnmf",
}
"""The five papers, as published tables name them."""

SOFTWARE = {"nmfrepro": "nmfrepro2026"}

DATASETS = {
    "orl": ("samaria1994orl",),
    "mnist": ("lecun1998mnist",),
    "yale": ("belhumeur1997yale",),
    "yaleb": ("georghiades2001yaleb", "lee2005yaleb"),
    "umist": ("graham1998umist",),
    "coil20": ("nene1996coil20",),
    "ar": ("martinez1998ar",),
    "jaffe": ("lyons1998jaffe",),
    "caltech101": ("feifei2004caltech101",),
    "digits": ("alpaydin1998digits",),
    "fashion_mnist": ("xiao2017fashionmnist",),
    "gaussians": ("chen2013nlcf",),
    "rank_deficient": ("liao2015ldsnmf",),
}


def keys_of(name: str) -> tuple[str, ...]:
    """The entries to cite for a paper, a published table, a method, a dataset or nmfrepro itself.

    Raises
    ------
    SpecError
        If nothing is called so, or nothing is known to cite for it.
    """
    if name in SOFTWARE:
        return (SOFTWARE[name],)
    paper = name.partition("/")[0] if name in papers.names() else name
    cites = vars(algorithms.registry().get(name, object)).get("cites", ())
    found = (*((PAPERS[paper],) if paper in PAPERS else ()), *cites, *DATASETS.get(name, ()))
    if found or name in ENTRIES:
        return tuple(dict.fromkeys(found)) or (name,)
    if name in algorithms.registry():
        paper = algorithms.get(name).paper or "not stated"
        raise SpecError(f"no BibTeX entry for {name}, its class has no cites; its paper is: {paper}")
    if name in datasets.registry():
        raise SpecError(f"nothing is known to cite for {name}; credit: {datasets.get(name).credit or 'none'}")
    known = dict.fromkeys((*SOFTWARE, *PAPERS, *algorithms.registry(), *datasets.registry()))
    raise SpecError(f"nothing is called {name!r}; {suggest(name, known)}")


def bibtex(keys: Iterable[str]) -> str:
    """The entries of these keys, each once, ready for a .bib file; a key may be an entry itself."""
    parts = []
    for key in dict.fromkeys(keys):
        if key.startswith("@"):
            parts.append(key.strip())
            continue
        kind, fields = ENTRIES[key]
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
        parts.append("\n".join([f"@{kind}{{{key},", *lines, "}"]))
    return "\n\n".join(parts) + "\n"
