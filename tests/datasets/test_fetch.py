"""Downloads against a real HTTP server on loopback, well and badly behaved."""

from __future__ import annotations

import hashlib
import http.server
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nmfrepro.core.errors import DataError
from nmfrepro.datasets.definition import Download
from nmfrepro.datasets.fetch import fetch

CONTENT = bytes(range(256)) * 400
# Seconds to connect, for the next bytes, for the whole; a busy machine is no failure.
PATIENT = (20.0, 20.0, 60.0)
QUICK = (20.0, 0.5, 60.0)  # for servers that never answer


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as its path says."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        getattr(self, "do" + self.path.replace("/", "_").replace("-", "_"))()

    def answer(self, body: bytes, length: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def do_good(self) -> None:
        self.answer(CONTENT)

    def do_wrong(self) -> None:
        self.answer(CONTENT[::-1])

    def do_truncated(self) -> None:
        self.answer(CONTENT[:50_000], len(CONTENT))
        self.close_connection = True

    def do_short(self) -> None:
        self.answer(CONTENT[:50_000])

    def do_page(self) -> None:
        self.answer(b"<!DOCTYPE html>log in")

    def do_missing(self) -> None:
        self.send_error(404)

    def do_broken(self) -> None:
        self.send_error(503)

    def do_redirect(self) -> None:
        self.redirect("/good")

    def do_to_disk(self) -> None:
        self.redirect("file:///etc/hostname")

    def do_to_ftp(self) -> None:
        self.redirect("ftp://127.0.0.1/a")

    def do_circle(self) -> None:
        self.redirect("/circle")

    def redirect(self, where: str) -> None:
        self.send_response(302)
        self.send_header("Location", where)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_slow(self) -> None:
        self.answer(CONTENT[:20_000], len(CONTENT))
        self.wfile.flush()
        self.server.in_the_middle.set()
        self.server.release.wait()
        self.close_connection = True

    def do_drip(self) -> None:
        """A byte now and then: no read ever takes long."""
        self.answer(b"", len(CONTENT))
        while not self.server.release.wait(0.1):
            try:
                self.wfile.write(b"x")
            except OSError:
                break
        self.close_connection = True

    def do_silent(self) -> None:
        self.server.release.wait()
        self.close_connection = True

    def do_endless(self) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while not self.server.release.is_set():
                self.wfile.write(bytes(65_536))
        except OSError:
            self.server.hung_up.set()
        self.close_connection = True

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""


class Server(http.server.ThreadingHTTPServer):
    """Notes what it was asked for; `release` ends what it keeps waiting."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.release, self.hung_up = threading.Event(), threading.Event()
        self.in_the_middle = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of the tests."""

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{path}"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()
    thread.join()


def download(server: Server, *paths: str, size: int = len(CONTENT)) -> Download:
    return Download(
        "a.mat", hashlib.sha256(CONTENT).hexdigest(), size, tuple(server.url(path) for path in paths)
    )


@pytest.mark.parametrize("path", ["good", "redirect"])
def test_a_complete_file_appears_under_its_name(tmp_path: Path, server: Server, path: str):
    folder = tmp_path / "new" / "data"
    assert fetch(download(server, path), folder, *PATIENT) is True
    assert (folder / "a.mat").read_bytes() == CONTENT
    assert [p.name for p in folder.iterdir()] == ["a.mat"]
    if os.name == "posix":
        assert (folder / "a.mat").stat().st_mode & 0o444 == 0o444


def test_a_file_that_is_there_is_not_fetched_again(tmp_path: Path, server: Server):
    fetch(download(server, "good"), tmp_path, *PATIENT)
    assert fetch(download(server, "good"), tmp_path, *PATIENT) is False
    assert server.asked == ["/good"]


def test_another_file_of_that_name_is_never_overwritten(tmp_path: Path, server: Server):
    (tmp_path / "a.mat").write_text("mine")
    with pytest.raises(DataError, match=r"a\.mat is there already and not the known copy; move it away"):
        fetch(download(server, "good"), tmp_path, *PATIENT)
    assert (tmp_path / "a.mat").read_text() == "mine"
    assert server.asked == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing", "HTTP 404"),
        ("broken", "HTTP 503"),
        ("wrong", "SHA-256 differs"),
        ("short", "SHA-256 differs"),
        ("page", "SHA-256 differs"),
        ("truncated", "the connection broke off"),
        ("slow", "timed out"),
        ("silent", "timed out"),
        ("to-disk", "InvalidSchema"),
        ("to-ftp", "InvalidSchema"),
        ("circle", "HTTP 302"),
        ("endless", "more than the 102,400 bytes expected"),
    ],
)
def test_a_failed_download_leaves_nothing_and_says_what_to_do(
    tmp_path: Path, server: Server, path: str, message: str
):
    with pytest.raises(DataError, match=message) as caught:
        fetch(download(server, path), tmp_path, *(QUICK if message == "timed out" else PATIENT))
    assert list(tmp_path.iterdir()) == []
    assert server.url(path) in str(caught.value)
    assert str(tmp_path / "a.mat") in str(caught.value)
    assert "By hand" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert fetch(download(server, "good"), tmp_path, *PATIENT) is True


def test_an_endless_answer_is_hung_up_on(tmp_path: Path, server: Server):
    with pytest.raises(DataError, match="more than"):
        fetch(download(server, "endless"), tmp_path, *PATIENT)
    assert server.hung_up.wait(10)


def test_a_file_has_so_long_and_no_longer(tmp_path: Path, server: Server):
    with pytest.raises(DataError, match="too slow"):
        fetch(download(server, "good"), tmp_path, 2.0, 2.0, 0.0)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_drips_has_a_deadline(tmp_path: Path, server: Server):
    with pytest.raises(DataError, match=r"/drip: too slow"):
        fetch(download(server, "drip"), tmp_path, 5.0, 5.0, 1.0)
    assert list(tmp_path.iterdir()) == []
    assert fetch(download(server, "good"), tmp_path, *PATIENT) is True


def test_mirrors_are_tried_in_order(tmp_path: Path, server: Server):
    assert fetch(download(server, "missing", "wrong", "truncated", "good", "broken"), tmp_path, *PATIENT)
    assert server.asked == ["/missing", "/wrong", "/truncated", "/good"]
    (tmp_path / "a.mat").unlink()
    with pytest.raises(DataError, match=r"missing: HTTP 404; .*wrong: its content.*SHA-256"):
        fetch(download(server, "missing", "wrong"), tmp_path, *PATIENT)


def test_offline_is_said(tmp_path: Path, server: Server):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/a"
        with pytest.raises(DataError, match="/a: no connection"):
            fetch(Download("a.mat", "0" * 64, 100, (url,)), tmp_path, *PATIENT)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, server: Server):
    (tmp_path / "data").write_text("a file")
    with pytest.raises(DataError, match=r"/data: cannot write there \(File exists\); give another data_dir"):
        fetch(download(server, "good"), tmp_path / "data", *PATIENT)


@pytest.mark.skipif(os.name != "posix", reason="interrupts are sent as signals")
def test_an_interrupted_download_leaves_nothing_and_is_done_again(tmp_path: Path, server: Server):
    # Nothing but the signal ends this download: the server waits, and so would the client.
    # A process that was started in the background of a shell ignores the signal, and so do its children.
    script = f"""
import signal
from pathlib import Path
from nmfrepro.datasets.definition import Download
from nmfrepro.datasets.fetch import fetch
signal.signal(signal.SIGINT, signal.default_int_handler)
download = Download("a.mat", "0" * 64, {len(CONTENT)}, ({server.url("slow")!r},))
fetch(download, Path({str(tmp_path)!r}), 3600, 3600, 3600)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE)
    assert server.in_the_middle.wait(60)
    (unfinished,) = tmp_path.iterdir()
    assert unfinished.name != "a.mat"
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in message.decode().splitlines()  # a bar that was being made may say more
    assert list(tmp_path.iterdir()) == []
    assert fetch(download(server, "good"), tmp_path, *PATIENT) is True
