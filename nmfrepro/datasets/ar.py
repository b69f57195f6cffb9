"""AR faces: 120 people, the 14 images each without sunglasses and scarves.

The LDS-NMF paper used 100 people with all 26 images, which are not in circulation in this form;
`subjects: 100` takes the first hundred people of this copy.
"""

from __future__ import annotations

from .definition import DatasetDefinition, Download, images
from .sources import DataFile

DATASET = DatasetDefinition(
    name="ar",
    title="AR faces, 120 people x 14 (no sunglasses, no scarves)",
    n_samples=1680,
    n_classes=120,
    class_sizes=(14, 14),
    sizes=images((50, 40)),
    sources=(
        DataFile(
            key="crop",
            title="cropped, 50 high and 40 wide",
            stems={"50x40": "AR_50x40"},
            pinned={
                "50x40": Download(
                    "AR_50x40.mat",
                    "2d1065a2570084bedab117296f271346ac7ab5e2eb3d0b339a6061e86c1aeac0",
                    2_784_666,
                    (
                        "https://github.com/XiaoZhu-05/RGD-NMF/raw/23567eeef0121240b38b914ebb234a9e30fa37a9/AR.mat",
                    ),
                ),
            },
        ),
    ),
    levels=255.0,
    default_scale="grey",
    preprocessing="aligned by eye position; raw pixels, size not stated; 100 people x 26 images (LDS-NMF)",
    credit="AR Face Database (A. M. Martinez, R. Benavente, CVC Technical Report 24, 1998)",
    licence="for research only, on the terms of the AR Face Database",
)
