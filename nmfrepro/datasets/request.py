"""Which dataset a spec asks for, checked before any file is opened."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..core.errors import Setting, SpecError, suggest
from ..core.options import option
from ..core.problem import Shape
from .base import SCALES
from .definition import DatasetDefinition


@dataclass(frozen=True)
class DatasetOptions:
    """The `dataset` of a spec: a known name, or a file of the user's own, and how it is read."""

    name: str | None = option(None, help="a dataset by name; see `nmfrepro list datasets`")
    file: str | None = option(
        None,
        help="your own data instead of a name: .mat, .npz, .npy, .csv, an IDX file, or a folder of images",
    )
    size: str | None = option(None, help="rows x columns of images, as 32x32; a folder's are resized to it")
    scale: str | None = option(
        None,
        choices=SCALES,
        help="grey: divided by the known range of grey levels; max: by the dataset's largest value; "
        "l2: each image to unit length; none: as stored.  Named grey images: grey",
    )
    source: str | None = option(None, help="insist on one source of a named dataset, as crop or aligned")
    subjects: int | None = option(None, low=1, help="only so many classes, the first by their labels")
    data_key: str | None = option(None, help="variable that holds the images; a path into a struct: AllSet.X")
    label_key: str | None = option(None, help="variable of the labels (CSV: column name, 'first' or 'last')")
    labels_file: str | None = option(
        None, help="the file of labels: a .npy of a .npy, and of an IDX file where its name does not tell"
    )
    orientation: str | None = option(
        None, choices=("rows", "columns"), help="whether rows or columns of the matrix are images"
    )
    image_shape: str | None = option(None, help="rows x columns of one image of a matrix, as 32x32")
    pixel_order: str | None = option(
        None,
        choices=("row", "column"),
        help="whether a stored image runs row by row or column by column (MATLAB)",
    )
    levels: float | None = option(
        None, low=0, open_low=True, help="the largest grey level possible, 255 for 8-bit images"
    )
    first_line: str | None = option(
        None,
        choices=("heading", "image"),
        help="what the first line of a CSV file is, where it may be either",
    )
    exclude: str | None = option(None, help="pattern of images of a folder to leave out, as */Ambient.pgm")
    accept_mismatch: bool = option(
        False, help="take a file whose counts are not those its name promises; tables carry a footnote"
    )

    @property
    def shape(self) -> Shape:
        """`image_shape` as (rows, columns)."""
        return parse_shape(self.image_shape, "image_shape")


@dataclass(frozen=True)
class Expected:
    """What is known of a named dataset before it is loaded; with `subjects`, n_samples is a lower bound.

    Which class is the smallest is known once the data is there, and of some datasets no more of its size than
    that it is not above the mean.  Of a file that nobody has `opened` yet all counts are upper bounds.
    """

    n_samples: int
    n_classes: int
    smallest_class: int
    n_features: int
    image_shape: Shape
    smallest_label: int | str | None = None
    opened: bool = True


# How a file is read, in the order the command line lists them.
FILE_OPTIONS = (
    "data_key", "label_key", "labels_file", "orientation", "image_shape", "pixel_order", "levels", "size",
    "first_line", "exclude",
)  # fmt: skip
MATRIX_ONLY = ("data_key", "label_key", "orientation", "pixel_order")  # of datasets by name


def parse_shape(text: str | None, what: str) -> Shape:
    """Rows and columns from text as "32x32"; None where nothing is written.

    Raises
    ------
    SpecError
        If the text is of another form or a side is not in 1 … 10,000.
    """
    if text is None:
        return None
    rows, _, columns = text.lower().replace("×", "x").partition("x")
    try:
        shape = (int(rows), int(columns))
    except ValueError:
        raise SpecError(Setting(what), f" must be rows x columns, as 32x32, not {text!r}") from None
    if not all(1 <= side <= 10_000 for side in shape):
        raise SpecError(Setting(what), f" {text!r}: both sides must lie in 1 … 10000")
    return shape


def resolve_named(options: DatasetOptions, definition: DatasetDefinition) -> DatasetOptions:
    """The options of a named dataset with size and scale filled in.

    Raises
    ------
    SpecError
        For an option that the dataset does not have.
    """

    def wrong(name: str, why: str) -> SpecError:
        return SpecError(f"dataset {definition.name}: ", Setting(name), why)

    for name in FILE_OPTIONS:
        if getattr(options, name) is not None and name not in (*MATRIX_ONLY, "size"):
            raise wrong(name, " is for files of your own (dataset: {file: …})")
    size = definition.default_size if options.size is None else options.size
    if size not in definition.sizes:
        raise wrong("size", f" is {size!r}; {suggest(size, definition.sizes)}")
    keys = [source.key for source in definition.sources]
    if options.source is not None and options.source not in keys:
        raise wrong("source", f" is {options.source!r}; {suggest(options.source, keys)}")
    scale = definition.default_scale if options.scale is None else options.scale
    if scale is None:
        raise wrong("scale", " must be chosen, its values are no grey levels; allowed: max, l2, none")
    if scale == "grey" and definition.levels is None:
        raise wrong("scale", " 'grey' needs grey levels, and these data have none; allowed: max, l2, none")
    if options.subjects is not None and options.subjects > definition.n_classes:
        raise wrong("subjects", f" is {options.subjects}, but it has {definition.n_classes} classes")
    return replace(options, size=size, scale=scale)


def resolve_file(options: DatasetOptions) -> DatasetOptions:
    """The options of a user's own file with the scale filled in.

    Raises
    ------
    SpecError
        Where something is missing, or fits a named dataset only.
    """
    what = f"dataset file {options.file}"
    if any(ord(character) < 32 for character in options.file or ""):
        text = f"{what!r} holds a control character; in YAML put paths in single quotes, or use /"
        raise SpecError(text, option="file")
    for name in ("source", "accept_mismatch"):
        if getattr(options, name):
            raise SpecError(f"{what}: ", Setting(name), " is for datasets by name")
    if options.scale is None and options.levels is None:
        raise SpecError(
            f"{what}: its scale is not said; give ",
            Setting("scale", "grey"),
            " where it states the range of its values (a folder of images, an import with levels), else ",
            Setting("levels"),
            " (255 for 8-bit grey images) or ",
            Setting("scale", "max"),
            ", l2 or none",
            option="file",
        )
    for name in ("size", "image_shape"):
        parse_shape(getattr(options, name), name)
    return replace(options, scale=options.scale or "grey")
