"""Extended Yale B: 38 people under 59 to 64 lights; the papers call it YaleB."""

from __future__ import annotations

from .definition import DatasetDefinition, Download, images
from .sources import DataFile

DATASET = DatasetDefinition(
    name="yaleb",
    title="Extended Yale B faces, 38 people x 59-64",
    n_samples=2414,
    n_classes=38,
    class_sizes=(59, 64),
    sizes=images((32, 32)),
    sources=(
        DataFile(
            key="crop",
            title="cropped, aligned by the eyes",
            stems={"32x32": "YaleB_32x32"},
            pinned={
                "32x32": Download(
                    "YaleB_32x32.mat",
                    "b3331cafe70867bef7881c8aa6d429a01919be9920643ebb24d4ae220194a56f",
                    2_119_682,
                    (
                        "https://github.com/tansyab1/CNN-Sparse/raw/c52b9c2c783bf6e350b11962781b7c2d701ce2c4/data/YaleB_32x32.mat",
                    ),
                ),
            },
        ),
    ),
    levels=255.0,
    default_scale="grey",
    preprocessing="aligned by eye position; raw pixels, size not stated (LDS-NMF counts 2,424 images)",
    credit="Extended Yale Face Database B (Georghiades, Belhumeur, Kriegman 2001; Lee, Ho, Kriegman 2005)",
    licence="free for research with credit to the authors",
)
