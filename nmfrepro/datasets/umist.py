"""UMIST faces: 20 people from profile to front, 19 to 48 images each."""

from __future__ import annotations

from .definition import DatasetDefinition, Download, images
from .sources import DataFile

DATASET = DatasetDefinition(
    name="umist",
    title="UMIST faces, 20 people x 19-48",
    n_samples=575,
    n_classes=20,
    class_sizes=(19, 48),
    sizes=images((32, 32)),
    sources=(
        DataFile(
            key="crop",
            title="cropped images at 32x32",
            stems={"32x32": "UMIST_32x32"},
            pinned={
                "32x32": Download(
                    "UMIST_32x32.mat",
                    "69d311b5273c6a98171b59190653b3773b392f09c6e793b83616d80a97e28f3d",
                    526_116,
                    (
                        "https://github.com/hlf-art/DFKMP/raw/806bc33780dc59f6443174a2e49a3fd080fa0879/UMIST.mat",
                    ),
                ),
            },
        ),
    ),
    levels=255.0,
    default_scale="grey",
    preprocessing="resized to 32x32 (2DNMF)",
    credit="UMIST (Sheffield) Face Database (D. B. Graham, N. M. Allinson 1998)",
    licence="free for research with credit to the authors",
)
