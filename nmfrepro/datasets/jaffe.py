"""JAFFE: 10 Japanese women, 20 to 23 images each, differing in expression."""

from __future__ import annotations

from .definition import DatasetDefinition, Download, images
from .sources import DataFile

DATASET = DatasetDefinition(
    name="jaffe",
    title="JAFFE faces, 10 women x 20-23",
    n_samples=213,
    n_classes=10,
    class_sizes=(20, 23),
    sizes=images((32, 32)),
    sources=(
        DataFile(
            key="crop",
            title="cropped images at 32x32",
            stems={"32x32": "JAFFE_32x32"},
            pinned={
                "32x32": Download(
                    "JAFFE_32x32.mat",
                    "92fb3296c3b38070a0840e0e91564f326d721ab7de8a4ad9a0fd440973ba5ae3",
                    201_085,
                    (
                        "https://github.com/hlf-art/DFKMP/raw/806bc33780dc59f6443174a2e49a3fd080fa0879/JAFFE.mat",
                    ),
                ),
            },
        ),
    ),
    levels=255.0,
    default_scale="grey",
    preprocessing="256x256 originals; size used is not stated (LDS-NMF)",
    credit="JAFFE database (M. Lyons, S. Akamatsu, M. Kamachi, J. Gyoba 1998)",
    licence="for non-commercial research only, on the terms of the JAFFE database",
)
