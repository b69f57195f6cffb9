"""Specs' YAML: encodings, and every kind of unreadable file as one clean line."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from yamltexts import OK, file_error, value_of

from nmfrepro.core.errors import SpecError
from nmfrepro.spec.complaints import Complaints
from nmfrepro.spec.yamltree import read_tree

# C35: encodings


@pytest.mark.parametrize(
    "data",
    [
        OK.encode(),
        OK.replace("\n", "\r\n").encode(),
        OK.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + OK.encode(),
        b"\xef\xbb\xbf" + OK.replace("\n", "\r\n").encode(),
        ("%YAML 1.2\n---\n" + OK + "...\n").encode(),
        ("# comment\n\n---\n" + OK).encode(),
    ],
)
def test_line_ends_byte_order_mark_and_document_markers_change_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(data)
    complaints = Complaints()
    assert read_tree(path, complaints).plain == value_of(OK)
    assert not len(complaints)


@pytest.mark.parametrize(
    ("data", "where", "part"),
    [
        (OK.encode("utf-16"), ":1:1", "0xff is not UTF-8 (UTF-16,"),
        (b"\xfe\xff" + OK.encode("utf-16-be"), ":1:1", "0xfe is not UTF-8 (UTF-16,"),
        (OK.encode("utf-32"), ":1:1", "save the file as UTF-8"),
        (OK.encode("utf-16-le"), ":1:2", "NUL"),
        (b"a: 1\nb: \0\n", ":2:4", "NUL"),
        ("a: 1\ntitle: Müller".encode("latin-1"), ":2:9", "0xfc is not UTF-8"),
        ("título: é".encode("cp1252"), ":1:2", "save the file as UTF-8"),
        (b"\xef\xbb\xbfa: 1\ntitle: M\xfcller", ":2:9", "0xfc is not UTF-8"),
        (b"\xef\xbb\xbfa: \xfc", ":1:4", "0xfc is not UTF-8"),
        (b"a: \xed\xa0\x80\n", ":1:4", "not UTF-8"),
        (b"a: 1\nb: \x07\n", ":2:4", "control character"),
        ("a: \ufffe\n".encode(), ":1:4", "control character"),
        (b"", ":1:1", "empty"),
        (b"\n\n", ":1:1", "empty"),
        (b"\xef\xbb\xbf", ":1:1", "empty"),
        (b"# only a comment\n", ":1:1", "empty"),
    ],
)
def test_other_encodings_and_empty_files_are_named(
    tmp_path: Path, data: bytes, where: str, part: str
) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(data)
    message = file_error(path)
    assert message.startswith(f"{path}{where}: ")
    assert part in message


# things that are no files


def mkfifo(path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    os.mkfifo(path)


def lock(path: Path) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() == 0:
        pytest.skip("root reads everything")
    path.write_text(OK)
    path.chmod(0)


@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("none.yaml", lambda path: None, "no such file"),
        ("folder.yaml", Path.mkdir, "directory"),
        ("s.yaml/x.yaml", lambda path: path.parent.write_text(OK), "cannot be read"),
        ("x" * 5000, lambda path: None, "cannot be read"),
        ("my_nmf.py", Path.touch, "nmfrepro run SPEC --plugin my_nmf.py"),
        ("pipe.yaml", mkfifo, "not a regular file"),
        ("shut.yaml", lock, "cannot be read"),
        ("large.yaml", lambda path: path.write_bytes(b"# " + b"x" * 1_000_000), "larger than 1 MB"),
        ("deep.yaml", lambda path: path.write_bytes(b"[" * 10_000_000), "larger than 1 MB"),
    ],
    ids=lambda value: value[:12] if isinstance(value, str) else None,
)
def test_what_cannot_be_read_is_one_line(
    tmp_path: Path, name: str, make: Callable[[Path], object], said: str
) -> None:
    make(tmp_path / name)
    assert said in file_error(tmp_path / name)


def test_a_null_character_in_the_name() -> None:
    with pytest.raises(SpecError, match="possible file name"):
        read_tree(Path("a\0b.yaml"), Complaints())


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no sockets here")
def test_a_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.yaml")
        assert "not a regular file" in file_error(Path("s.yaml"))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices here")
def test_a_device_does_not_run_for_ever() -> None:
    assert "not a regular file" in file_error(Path("/dev/zero"))
