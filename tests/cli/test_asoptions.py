"""Complaints that name options instead of settings."""

import pytest

from nmfrepro.cli.asoptions import in_options

NAMES = ("scale", "levels", "orientation", "image_shape", "pixel_order", "data_key")


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "a.mat: the range of the grey levels is not known; give levels (255) or choose scale: max, l2",
            "a.mat: the range of the grey levels is not known; give --levels (255) or choose --scale max, l2",
        ),
        ("give `levels` (255) or choose scale max", "give --levels (255) or choose --scale max"),
        ("scale 'grey' needs levels", "--scale 'grey' needs --levels"),
        (
            "needs data >= 0 (use scale: grey, not centred data)",
            "needs data >= 0 (use --scale grey, not centred data)",
        ),
        ("say with orientation whether rows", "say with --orientation whether rows"),
        ("glram: give image_shape=(rows, columns)", "glram: give --image-shape ROWSxCOLUMNS"),
        ("image_shape needs pixel_order: row", "--image-shape needs --pixel-order row"),
        ("no variable 'x' (data_key)", "no variable 'x' (--data-key)"),
        # Files, options that are told as such already, and settings that are none here.
        ("my/data_key.mat: no labels", "my/data_key.mat: no labels"),
        ("give --levels", "give --levels"),
        ("give label_key", "give label_key"),
    ],
)
def test_settings_are_told_as_options(message: str, told: str) -> None:
    assert in_options(message, NAMES) == told
