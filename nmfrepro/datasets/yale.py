"""Yale faces: 15 people, 11 images each, differing in expression and light."""

from __future__ import annotations

from .definition import DatasetDefinition, Download, images
from .sources import DataFile

DATASET = DatasetDefinition(
    name="yale",
    title="Yale faces, 15 people x 11",
    n_samples=165,
    n_classes=15,
    class_sizes=(11, 11),
    sizes=images((32, 32), (64, 64)),
    sources=(
        DataFile(
            key="crop",
            title="eye-aligned crop",
            stems={"32x32": "Yale_32x32", "64x64": "Yale_64x64"},
            pinned={
                "32x32": Download(
                    "Yale_32x32.mat",
                    "beb3cc9f448c1ab786583c8f5429368c299843ee88263f9650ed463004ef7633",
                    161_026,
                    (
                        "https://github.com/ma-xu/ORL3/raw/0efe9e8df8fd3642fbf1f5e258f51165e475b1f1/Yale_32x32.mat",
                        "https://github.com/tansyab1/CNN-Sparse/raw/c52b9c2c783bf6e350b11962781b7c2d701ce2c4/data/Yale_32x32.mat",
                        "http://www.cad.zju.edu.cn/home/dengcai/Data/Yale/Yale_32x32.mat",
                    ),
                ),
                "64x64": Download(
                    "Yale_64x64.mat",
                    "2a40d2363ef42466e645523a8d9c5f902a136ab5d03242ca9a642db3872e52ee",
                    641_318,
                    (
                        "https://github.com/tansyab1/CNN-Sparse/raw/c52b9c2c783bf6e350b11962781b7c2d701ce2c4/data/Yale_64x64.mat",
                    ),
                ),
            },
        ),
    ),
    levels=255.0,
    default_scale="grey",
    preprocessing="eyes aligned, face cropped, resized to 32x32 (NLCF, TNMF, CNMF); 256 grey levels",
    credit="Yale Face Database, Center for Computational Vision and Control, Yale University",
    licence="free for research with credit to Yale University; crop made public by D. Cai",
)
