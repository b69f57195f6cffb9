"""COIL-20: 20 objects on a turntable, 72 images each."""

from __future__ import annotations

from .definition import DatasetDefinition, Download, images
from .sources import DataFile

DATASET = DatasetDefinition(
    name="coil20",
    title="COIL-20 objects, 20 x 72",
    n_samples=1440,
    n_classes=20,
    class_sizes=(72, 72),
    sizes=images((32, 32)),
    sources=(
        DataFile(
            key="processed",
            title="the processed images at 32x32",
            stems={"32x32": "COIL20"},
            pinned={
                "32x32": Download(
                    "COIL20.mat",
                    "11c5a6346590bacc41a8ad9606fbda1ba41b808c3d4110f718806ea7816c32e1",
                    1_793_116,
                    (
                        "https://github.com/XiaoZhu-05/RGD-NMF/raw/23567eeef0121240b38b914ebb234a9e30fa37a9/COIL20.mat",
                    ),
                ),
            },
        ),
    ),
    levels=255.0,
    default_scale="grey",
    preprocessing="background removed, resized from 128x128 to 32x32 (2DNMF, LDS-NMF); 256 grey levels",
    credit="Columbia Object Image Library COIL-20 (S. A. Nene, S. K. Nayar, H. Murase, CUCS-005-96, 1996)",
    licence="free for research with credit to Columbia University",
)
