"""Folders of images: order, stray files, sizes, and what becomes of colour and depth."""

from __future__ import annotations

import os
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from nmfrepro.core.errors import DataError
from nmfrepro.datasets import DatasetOptions, load
from nmfrepro.datasets.formats.images import SUFFIXES, list_folder, read_folder, read_image, resized


def draw(path: Path, level: int, size: tuple[int, int] = (4, 3)) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", size, level).save(path)


@pytest.fixture
def faces(tmp_path: Path) -> Path:
    """Three people with three images each, and what systems leave lying around."""
    folder = tmp_path / "faces"
    for person in (10, 1, 2):
        for number in (10, 2, 1):
            draw(folder / f"s{person}" / f"{number}.pgm", person * 10 + number)
    (folder / ".DS_Store").write_text("x")
    (folder / "README").write_text("x")
    (folder / "s2" / "Thumbs.db").write_text("x")
    (folder / "s10" / "3.pgm.bad").write_text("x")
    (folder / "s1" / "._1.pgm").write_text("x")
    return folder


def test_natural_order_and_stray_files(faces: Path):
    found = read_folder(faces)
    assert found.labels.tolist() == ["s1"] * 3 + ["s2"] * 3 + ["s10"] * 3
    assert found.X[:, 0].tolist() == [11, 12, 20, 21, 22, 30, 101, 102, 110]
    assert found.image_shape == (3, 4)
    assert found.origin == "images of the folder faces, as they are"
    assert found.notes == (
        "5 other files passed over: .DS_Store, README, s1/._1.pgm, s2/Thumbs.db, s10/3.pgm.bad",
    )


def test_an_odd_size_is_refused_by_name_unless_excluded_or_resized(faces: Path):
    draw(faces / "s10" / "Ambient.pgm", 7, (8, 6))
    with pytest.raises(DataError, match=r"s10/Ambient\.pgm is 6x8, the images before it 3x4"):
        read_folder(faces)
    assert len(read_folder(faces, exclude="*/Ambient.pgm").X) == 9
    found = read_folder(faces, resize=(3, 4))
    assert found.X.shape == (10, 12)
    assert "resized from 2 different sizes to 3x4 (Pillow" in found.origin


def test_hidden_folders_are_no_classes(faces: Path):
    for name in (".ipynb_checkpoints", ".Trash-1000", "__MACOSX"):
        draw(faces / name / "1.pgm", 3)
    found = read_folder(faces)
    assert sorted(set(found.labels.tolist())) == ["s1", "s10", "s2"]
    assert found.notes[0].startswith("8 other files passed over: ")
    assert {".ipynb_checkpoints/", ".Trash-1000/", "__MACOSX/"} < set(list_folder(faces)[1])


def test_a_folder_that_is_empty_is_told(faces: Path):
    (faces / "s3").mkdir()
    assert read_folder(faces).notes[0].endswith("s2/Thumbs.db, s3/ (an empty class folder) and 1 more")


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["jpg", "png", "tif"])
def test_photographs_are_turned_upright(tmp_path: Path, orientation: int, kind: str):
    """The eight orientations of EXIF: where the first row and the first column of the picture lie."""
    upright = np.zeros((16, 24), dtype=np.uint8)
    upright[:8, :8], upright[:8, 16:] = 255, 120
    stored = [
        upright,
        upright[:, ::-1],
        upright[::-1, ::-1],
        upright[::-1],
        upright.T,
        upright[:, :].T[:, ::-1][::-1][:, ::-1],
        upright[::-1, ::-1].T,
        upright.T[:, ::-1],
    ][orientation - 1]
    exif = Image.Exif()
    exif[0x0112] = orientation
    (tmp_path / "a").mkdir()
    Image.fromarray(np.ascontiguousarray(stored)).save(tmp_path / "a" / f"1.{kind}", exif=exif)
    found = read_folder(tmp_path)
    assert found.image_shape == (16, 24)
    assert np.abs(found.X[0].reshape(16, 24) - upright).max() < 12
    turned = (f"1 of 1 images turned upright, as their orientation tag says: a/1.{kind}",)
    assert found.notes == (() if orientation == 1 else turned)


@pytest.mark.parametrize(("bits", "white", "fine"), [(16, 1, True), (16, 0, False), (12, 1, False)])
def test_levels_of_other_kinds_in_a_tiff_are_refused(tmp_path: Path, bits: int, white: int, fine: bool):
    data = np.array([[0, 255 << 8, 16, 32]], "<u2").tobytes()  # enough for four levels of either kind
    tags = {
        256: 4,
        257: 1,
        258: bits,
        259: 1,
        262: white,
        273: 8,
        277: 1,
        278: 1,
        279: len(data) * bits // 16,
    }
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    head = b"II*\0" + struct.pack("<I", 8 + len(data))
    (tmp_path / "1.tif").write_bytes(head + data + struct.pack("<H", len(tags)) + entries + bytes(4))
    if fine:
        assert read_image(tmp_path / "1.tif").max() == 255 * (255 << 8) / 65535
    else:
        with pytest.raises(DataError, match=r"1\.tif has levels of 12 bits, or levels in which 0 is white"):
            read_image(tmp_path / "1.tif")


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparent_pixels_are_told(tmp_path: Path, mode: str):
    clear, full = tmp_path / "a" / "1.png", tmp_path / "a" / "2.png"
    draw(full, 90)
    picture = Image.new("L", (4, 3), 90)
    if mode == "P":
        picture.convert("P").save(clear, transparency=90)
    else:
        picture = picture.convert(mode)
        picture.putalpha(Image.new("L", (4, 3), 0))
        picture.save(clear)
    found = read_folder(tmp_path)
    assert found.X.tolist() == [[90] * 12] * 2
    assert found.notes == ("1 of 2 images have transparent pixels, whose own colours are taken: a/1.png",)


@pytest.mark.parametrize("kind", ["png", "jpg", "bmp", "tif", "gif"])
def test_colours_are_told_and_grey_in_three_channels_is_none(tmp_path: Path, kind: str):
    (tmp_path / "a").mkdir()
    for number, colour in enumerate([(200, 100, 50), (90, 90, 90)], start=1):
        Image.new("RGB", (8, 8), colour).save(tmp_path / "a" / f"{number}.{kind}")
    draw(tmp_path / "a" / f"3.{kind}", 90, (8, 8))
    what = "are in colour, taken as grey by 0.299 R + 0.587 G + 0.114 B (ITU-R 601)"
    assert read_folder(tmp_path).notes == (f"1 of 3 images {what}: a/1.{kind}",)


@pytest.mark.parametrize("place", ["0.png", "a/s0/0.png", "train/a/0.png"])
def test_images_elsewhere_are_told(tmp_path: Path, place: str):
    draw(tmp_path / ".cache" / "x" / "0.png", 9)
    draw(tmp_path / place, 9)
    with pytest.raises(
        DataError, match=rf"no sub-folders with images .* images lie elsewhere, as {place}: name"
    ):
        read_folder(tmp_path)


def test_a_folder_has_a_name_wherever_one_stands(faces: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(faces / "s1")
    for folder in (Path(".."), faces, Path("../../faces")):
        assert read_folder(folder).origin == "images of the folder faces, as they are"


def test_further_frames_are_told(tmp_path: Path):
    draw(tmp_path / "a" / "1.gif", 9)
    frames = [Image.new("L", (4, 3), level) for level in (9, 200)]
    for kind in ("gif", "tif"):
        frames[0].save(tmp_path / "a" / f"2.{kind}", save_all=True, append_images=frames[1:])
    found = read_folder(tmp_path)
    assert np.abs(found.X - 9).max() <= 1
    assert found.notes == (
        "2 of 3 images hold further frames, of which the first is taken: a/2.gif, a/2.tif",
    )


@pytest.mark.parametrize("kind", ["tif", "png"])
@pytest.mark.parametrize(("largest", "noted"), [(1, True), (255, True), (258, False)])
def test_values_of_8_bits_in_an_image_of_16_are_told(tmp_path: Path, kind: str, largest: int, noted: bool):
    """They are shares of 65535 all the same."""
    (tmp_path / "a").mkdir()
    pixels = np.array([[0, largest]], dtype=np.uint16)
    Image.fromarray(pixels).save(tmp_path / "a" / f"1.{kind}")
    found = load(DatasetOptions(file=str(tmp_path), scale="grey"))
    np.testing.assert_allclose(found.X, pixels / 257)
    assert any(note.startswith("the largest value is") for note in found.notes) == noted


def test_kinds_that_start_programs_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))  # where a Ghostscript would say that it was called
    (tmp_path / "gs").write_text(f"#!/bin/sh\ntouch {tmp_path / 'called'}\n")
    (tmp_path / "gs").chmod(0o755)
    path = tmp_path / "x.png"
    path.write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 4 4\n%%EndComments\nshowpage\n%%EOF\n")
    with pytest.raises(
        DataError, match=r"x\.png is a damaged image, or of a kind that is not read \(only PNG"
    ):
        read_image(path)
    assert not (tmp_path / "called").exists()


def test_pipes_are_no_images(faces: Path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes")
    os.mkfifo(faces / "s1" / "3.pgm")
    files, passed = list_folder(faces)
    assert len(files) == 9
    assert "s1/3.pgm" in passed


def test_a_folder_without_classes_says_so(tmp_path: Path):
    with pytest.raises(DataError, match="cannot be read: "):
        read_folder(tmp_path / "none")
    with pytest.raises(DataError, match="no sub-folders with images"):
        read_folder(tmp_path)


def test_every_kind_is_read_by_its_name(tmp_path: Path):
    kinds = [suffix for suffix in SUFFIXES if suffix != ".pbm"]  # of two levels
    for name in (*(f"a{suffix}" for suffix in kinds), "a.JPEG"):
        draw(tmp_path / name, 77)
        assert np.abs(read_image(tmp_path / name) - 77).max() <= 1, name


def test_names_decide_which_files_are_images_and_the_page_lists_them(tmp_path: Path):
    for suffix in (*SUFFIXES, ".PNG", ".dat", ""):
        path = tmp_path / "a" / f"1{suffix}"
        draw(tmp_path / "a" / "x.png", 77)
        (tmp_path / "a" / "x.png").rename(path)
    found = read_folder(tmp_path)
    assert (len(found.X), found.notes) == (len(SUFFIXES) + 1, ("2 other files passed over: a/1, a/1.dat",))
    page = (Path(__file__).parents[3] / "docs" / "own-data.md").read_text(encoding="utf-8")
    sentence = page.partition("**Images of a folder**")[2].partition(";")[0]
    assert re.findall(r"`(\.\w+)`", sentence) == list(SUFFIXES)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("head", "body", "levels"), [("P1", "0 1", [255, 0]), ("P3", "3 3 3 9 9 9", [85, 255])]
)
def test_images_of_plain_text_are_read_with_any_line_breaks(
    tmp_path: Path, end: str, head: str, body: str, levels: list[int]
):
    lines = [head, "# made by hand", "2 1", *(["9"] if head == "P3" else []), body, ""]
    (tmp_path / "1.ppm").write_bytes(end.join(lines).encode())
    assert read_image(tmp_path / "1.ppm").tolist() == [levels]


@pytest.mark.parametrize("shallow", [0, 1])
def test_levels_of_16_bits_among_others_are_told(tmp_path: Path, shallow: int):
    (tmp_path / "a").mkdir()
    for number in (1, 2):
        Image.fromarray(np.full((3, 4), 257 * 90, dtype=np.uint16)).save(tmp_path / "a" / f"{number}.png")
    if shallow:
        draw(tmp_path / "a" / "3.png", 90)
    found = read_folder(tmp_path)
    assert found.X.tolist() == [[90] * 12] * (2 + shallow)
    told = "have levels of 16 bits, the others of 8; each level is taken as a share of its own range"
    assert found.notes == ((f"2 of 3 images {told}: a/1.png, a/2.png",) if shallow else ())


def test_depth_colour_and_palette(tmp_path: Path):
    path = tmp_path / "a.png"
    Image.fromarray(np.array([[0, 1000, 30000, 65535]], dtype=np.uint16)).save(path)
    assert np.allclose(read_image(path), np.array([[0, 1000, 30000, 65535]]) / 257)
    Image.new("1", (2, 1), 1).save(path)
    assert read_image(path).tolist() == [[255, 255]]
    Image.new("RGB", (1, 1), (200, 100, 50)).save(path)
    # ITU-R 601: 0.299 R + 0.587 G + 0.114 B
    assert read_image(path)[0, 0] == pytest.approx(0.299 * 200 + 0.587 * 100 + 0.114 * 50, abs=1)
    Image.new("RGB", (1, 1), (200, 200, 200)).convert("P").save(path)
    assert read_image(path)[0, 0] == pytest.approx(200, abs=6)
    Image.new("F", (1, 1), 0.5).save(tmp_path / "a.tif")
    with pytest.raises(DataError, match="unknown range"):
        read_image(tmp_path / "a.tif")


def test_damaged_and_oversized_images_are_refused_by_name(tmp_path: Path):
    path = tmp_path / "a.png"
    draw(path, 9)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"a\.png is a damaged image"):
        read_image(path)
    path.write_text("<html>")
    with pytest.raises(DataError, match=r"a\.png is a damaged image"):
        read_image(path)
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    chunk = b"IHDR" + header
    path.write_bytes(
        whole[:8] + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk)) + whole[33:]
    )
    with pytest.raises(DataError, match=r"a\.png is damaged .*exceeds limit"):
        read_image(path)


def test_resizing_keeps_flat_pictures_and_means(tmp_path: Path):
    assert resized(np.full((112, 92), 77.0), (32, 32)).tolist() == np.full((32, 32), 77.0).tolist()
    smooth = np.add.outer(np.linspace(0, 120, 64), np.linspace(0, 120, 64))
    small = resized(smooth, (32, 32))
    assert np.abs(small - smooth.reshape(32, 2, 32, 2).mean(axis=(1, 3))).max() < 2


def test_a_gif_whose_header_states_a_larger_screen_is_not_filled_up_with_zeros(tmp_path: Path) -> None:
    """Found by the fuzz: a damaged width and height made an image of 200 MB of a picture of 3 by 4."""
    path = tmp_path / "a.gif"
    draw(path, 9)
    content = path.read_bytes()
    path.write_bytes(content[:6] + bytes([4, 3, 0, 131]) + content[10:])
    with pytest.raises(DataError, match="does not fill the 33536x772 pixels it states"):
        read_image(path)
