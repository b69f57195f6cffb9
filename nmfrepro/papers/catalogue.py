"""Which published tables there are, and how each is to be read.

The CSV files beside this module hold what the papers print, digit by digit; what a number means (its unit,
what its ± is, over how many repeats, which of our methods a heading names) is written here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

NLCF = "Chen, Zhang, Cai, Liu, He: Nonnegative Local Coordinate Factorization, IEEE TIP 22(3), 2013"
TNMF = "Xiao, Zhu, Zhao, Wei, Wei, Li: Topographic NMF for Data Representation, IEEE T. Cybernetics, 2014"
TWODNMF = "Gu, Zhou: Two Dimensional Nonnegative Matrix Factorization, ICIP 2009"
LDSNMF = "Liao, Guan, Zhang: Logdet Divergence Based Sparse NMF, ICDM 2015"
CNMF = "Liu, Wu, Li, Cai, Huang: Constrained Nonnegative Matrix Factorization, IEEE TPAMI 34(7), 2012"


@dataclass(frozen=True)
class Source:
    """How one CSV file is to be read.

    Attributes
    ----------
    paper, number : str
        Citation in one line; the table's number in it.
    rows : str
        What its rows count: "k" or "train" (training images per class); "all" where there is one number for
        all of them, "claims" for a lost table of which only differences between averages survive in the text,
        "datasets" for a table of datasets' sizes.
    dataset : str or None
        Our name of the dataset; None where the file names several, or the paper none.
    repeats : int or None
        Runs behind a cell; None where the paper does not say.
    spread : str or None
        What ± is: "std" in points, "variance" (of the 0–1 score, times 100), or None where there is none.
    single_without_spread : bool
        Whether a cell without ± in a table that has them is a single run (all classes, one draw).
    fractions : bool
        Whether scores are printed as fractions instead of percent.
    companions : tuple of str
        Tables drawn from the same runs, compared along with this one.
    proposed : str
        The printed heading of the method the paper proposes; its lead over the others is the table's claim.
    size : (int, int) or None
        Images and classes of the data as the paper has them.
    validation : bool
        Whether part of the images left over by training is for validation: how many are scored is not known.
    equal : bool
        Whether every class is known to have as many images.
    printed_p, printed_difference : str
        Friedman's p-value and Nemenyi's critical difference as printed; "" where the paper has none.
    notes : tuple of str
        What a reader of the numbers must know.
    """

    paper: str
    number: str
    rows: str
    dataset: str | None = None
    repeats: int | None = None
    spread: str | None = None
    single_without_spread: bool = False
    fractions: bool = False
    companions: tuple[str, ...] = ()
    proposed: str = ""
    size: tuple[int, int] | None = None
    validation: bool = False
    equal: bool = False
    printed_p: str = ""
    printed_difference: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def cited(self) -> str:
        """The table in few words, as a legend has room for: "Table V, Chen et al. 2013"."""
        authors = self.paper.partition(":")[0].split(", ")
        names = " and ".join(authors) if len(authors) < 3 else f"{authors[0]} et al."
        return f"{self.number}, {names} {self.paper[-4:]}"


# Per paper: printed heading → our name of the method.
ALGORITHMS: dict[str, dict[str, str]] = {
    "nlcf": {"NMF": "nmf", "NLCF": "nlcf", "NLCF-G": "nlcf_g", "Kmeans": "kmeans", "NMF-SC": "nmf_sc"},
    "tnmf": {
        "Kmeans": "kmeans",
        "NMF": "nmf",
        "PCA": "pca",
        "GNMF": "gnmf",
        "NSDR": "nsdr",
        "NNSC": "nmf_sc",  # the method it cites and describes is the constrained one of Hoyer 2004
        "RICA": "rica",
        "ANP": "anp",
        "TNMF": "tnmf",
    },
    "twodnmf": {"PCA": "pca", "GLRAM": "glram", "NMF": "nmf", "NMSF": "nmsf", "2DNMF": "twodnmf"},
    "ldsnmf": {
        "LDS-NMF": "lds_nmf",
        "L21-NMF": "l21_nmf",
        "CIM-NMF": "cim_nmf",
        "NMF": "nmf",
        "PCA": "pca",
    },
    "cnmf": {
        "CNMF": "cnmf",
        "CNMF_KL": "cnmf_kl",
        "NMF": "nmf_ncw",  # the normalised-cut weighted variant
        "NTF": "ntf",
        "GNMF": "gnmf",
        "SemiGNMF": "semi_gnmf",
        "CF": "cf",
    },
}

_VARIANCE = (
    "TNMF calls its ± a variance and gives no unit; it is read as the variance of the 0–1 score times 100, "
    "so that the standard deviation in points is 10·√x (inferred: only so has it the size of NLCF's)"
)
_NNSC = "TNMF's NNSC is compared with nmf_sc, the method of Hoyer 2004 that it cites and describes"
_BRACKETS_SVM = (
    "the number in brackets is read as the SVM's accuracy, though the caption calls it the reduced "
    "dimensionality: it is a fraction above the main value, and the text says both classifiers are shown"
)
_CHOSEN = "the paper prints the best mean over all dimensions, chosen on test accuracy"


def _nlcf(number: str, dataset: str, size: tuple[int, int], *notes: str, equal: bool = True) -> Source:
    return Source(
        NLCF,
        number,
        "k",
        dataset,
        repeats=10,
        spread="std",
        single_without_spread=True,
        companions=("nlcf/table8_sparseness",),
        proposed="NLCF",
        size=size,
        equal=equal,
        notes=notes,
    )


def _twodnmf(dataset: str, size: tuple[int, int], *notes: str) -> Source:
    return Source(
        TWODNMF,
        "Table 1",
        "train",
        dataset,
        repeats=20,
        proposed="2DNMF",
        size=size,
        notes=(_CHOSEN, *notes),
    )


def _ldsnmf(number: str, dataset: str, note: str, size: tuple[int, int] | None = None) -> Source:
    return Source(
        LDSNMF,
        number,
        "train",
        dataset,
        repeats=50,
        fractions=True,
        proposed="LDS-NMF",
        size=size,
        validation=True,
        notes=(_BRACKETS_SVM, note),
    )


_GAINS = "the text gives differences of averages over all k, read as points"


def _cnmf(number: str, dataset: str, *notes: str) -> Source:
    return Source(
        CNMF, number, "claims", dataset, repeats=10, notes=(f"{number} is lost; {_GAINS}", _ORACLE, *notes)
    )


_ORACLE = "the rivals got their best setting by result, and labelled images appear to be scored"
_ALL_COMPONENTS = (
    "PCA: the printed dimension is the first square at or above the rank, that is all components"
)

SOURCES: dict[str, Source] = {
    "nlcf/table5_orl": _nlcf(
        "Table V",
        "orl",
        (400, 40),
        "NMF at k = 2 (98.3) is no mean of ten counts out of 20 images",
        "NLCF-G, NMI: the printed average 76.3 is 76.24 from the rows",
    ),
    "nlcf/table6_mnist": _nlcf("Table VI", "mnist", (4000, 10), equal=False),
    "nlcf/table7_yale": _nlcf(
        "Table VII", "yale", (165, 15), "NLCF-G at k = 15 (42.3) is no count out of 165 images"
    ),
    "nlcf/table8_sparseness": Source(
        NLCF,
        "Table VIII",
        "all",
        notes=("the paper gives no k for the sparseness; the mean over all k is compared",),
    ),
    "tnmf/table1_orl": Source(
        TNMF,
        "Table I",
        "k",
        "orl",
        repeats=10,
        spread="variance",
        proposed="TNMF",
        size=(400, 40),
        equal=True,
        printed_p="6.14e-23",
        printed_difference="4.01",
        notes=(
            _VARIANCE,
            _NNSC,
            "RICA, accuracy: the printed average 77.23 is 77.86 from the rows",
            "the printed Friedman p-value (6.14e-23) and critical difference (4.01) do not follow from the "
            "accuracies: they give chi-square 49.33 with p = 5.5e-8, and 4.247",
        ),
    ),
    "tnmf/table2_caltech101": Source(
        TNMF,
        "Table II",
        "k",
        "caltech101",
        repeats=10,
        spread="variance",
        proposed="TNMF",
        size=(3044, 10),
        notes=(_VARIANCE, _NNSC),
    ),
    "tnmf/table4_runtime": Source(
        TNMF,
        "Table IV",
        "k",
        notes=(
            "the paper does not name the data set of its running times; methods are compared by ratios, "
            "since the machines differ",
        ),
    ),
    "twodnmf/table1_orl": _twodnmf(
        "orl",
        (400, 40),
        _ALL_COMPONENTS,
        "NMF with 2 training images: printed dimension 19² = 361 with 80 samples",
    ),
    "twodnmf/table1_umist": _twodnmf("umist", (575, 20), _ALL_COMPONENTS),
    "twodnmf/table1_coil20": _twodnmf("coil20", (1440, 20)),
    "ldsnmf/table1_ar": _ldsnmf(
        "Table I", "ar", "the dimension at which the best accuracy falls is not printed", (2600, 100)
    ),
    "ldsnmf/table2_yaleb": _ldsnmf(
        "Table II",
        "yaleb",
        "which number is which classifier is inferred from Table I; no dimension is printed",
    ),
    "tnmf/table3_yale": Source(
        TNMF, "Table III", "claims", "yale", repeats=10, notes=("Table III is lost; " + _GAINS, _NNSC)
    ),
    "cnmf/table4_orl": _cnmf("Table 4", "orl"),
    "cnmf/table6_corel": _cnmf(
        "Table 6", "corel", "that these differences are of Corel is inferred from the order of the sections"
    ),
    "cnmf/table7_caltech101": _cnmf("Table 7", "caltech101"),
    "nlcf/table4_datasets": Source(NLCF, "Table IV", "datasets"),
    "cnmf/table3_datasets": Source(CNMF, "Table 3", "datasets"),
}
