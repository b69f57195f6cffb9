"""Specs' YAML: places, structure, keys and syntax."""

from __future__ import annotations

from pathlib import Path

import pytest
from yamltexts import OK, error_of, tree_of, value_of

from nmfrepro.core.errors import Place, as_key

# places


def written(place: Place | None) -> str:
    """As messages name it."""
    assert place is not None
    return place.spelled(as_key)


def test_every_key_and_value_knows_its_place() -> None:
    tree = tree_of("a: 1\nbb:\n  - x\n  - {c: 2.5}\n")
    assert [(key, written(node.key), written(node.place)) for key, node in tree.pairs.items()] == [
        ("a", "s.yaml:1:1", "s.yaml:1:4"),
        ("bb", "s.yaml:2:1", "s.yaml:3:3"),
    ]
    inner = tree.pairs["bb"].items[1].pairs["c"]
    assert (written(inner.key), written(inner.place)) == ("s.yaml:4:6", "s.yaml:4:9")


def test_columns_count_characters_and_lines_count_crlf_once() -> None:
    tree = tree_of("title: Müller\r\nx: {é: 1, b: 2}\r\n")
    assert written(tree.pairs["x"].pairs["b"].key) == "s.yaml:2:11"


# structure


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[" * 30 + "]" * 30, "1:22"),
        ("[" * 100_000, "1:22"),
        ("{a: " * 50_000, "1:82"),
        ("- " * 400_000, "1:43"),
        ("? " * 1000, "1:43"),
    ],
    ids=["closed", "lists", "mappings", "items", "keys"],
)
def test_depth_is_told_where_it_is_too_deep(text: str, where: str) -> None:
    assert error_of(text).startswith(f"s.yaml:{where}: nested more than 20 deep")


def test_too_many_values() -> None:
    assert "more than 10000 values" in error_of("[" + "1," * 12_000 + "]")


def test_two_documents() -> None:
    assert error_of(OK + "---\ntitle: t2\n").startswith("s.yaml:6:1: a second document")


@pytest.mark.parametrize(
    ("text", "where", "shown"),
    [
        ("name: !!python/object/apply:os.getcwd []\n", "1:7", "!!python/object/apply:os.getcwd"),
        ("a: !!python/object/new:os.system [echo]\n", "1:4", "!!python/object/new:os.system"),
        ("a: !!int 5\n", "1:4", "!!int"),
        ("a: !!str 5\n", "1:4", "!!str"),
        ("a: ! 5\n", "1:4", "!"),
        ("a: !local {b: 1}\n", "1:4", "!local"),
        ("a: !<tag:x,2000:y> 1\n", "1:4", "tag:x,2000:y"),
        ("!!map {a: 1}\n", "1:1", "!!map"),
        ("%TAG !e! tag:e.org,2000:\n---\na: !e!x 1\n", "3:4", "tag:e.org,2000:x"),
        ("!!python/name:os.system a: 1\n", "1:1", "!!python/name:os.system"),
    ],
)
def test_no_tag_is_followed(text: str, where: str, shown: str) -> None:
    message = error_of(text)
    assert message.startswith(f"s.yaml:{where}: {shown} is a YAML tag")


def test_a_tag_runs_nothing(tmp_path: Path) -> None:
    victim = tmp_path / "ran"
    error_of(
        f"a: !!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path ['{victim}']]\n"
    )
    assert not victim.exists()


def test_anchors_and_aliases_are_refused() -> None:
    for text, where in (("a: &x 1\nb: *x\n", "2:4"), ("a: &x [*x]\n", "1:8")):
        first, second = error_of(text).splitlines()
        assert first.startswith("s.yaml:1:4: &x is a YAML anchor")
        assert second.startswith(f"s.yaml:{where}: *x is a YAML alias")


def test_an_alias_bomb_is_small() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
    message = error_of(bomb)
    assert "anchor" in message
    assert len(message) < 10_000


def test_merge_keys_are_refused() -> None:
    assert error_of("a: {b: 1}\nc:\n  <<: {b: 2}\n").startswith("s.yaml:3:3: <<")


# C34: repeated keys


def test_a_repeated_key_names_both_lines() -> None:
    assert error_of("repeats: 3\nseed: 1\nrepeats: 50\n") == (
        "s.yaml:3:1: key 'repeats' is given twice, first in line 1; remove one"
    )


def test_a_repeated_key_in_a_nested_mapping() -> None:
    assert error_of("a:\n  - {name: nlcf, mu: 1, mu: 2}\n").startswith("s.yaml:2:25: key 'mu' is given twice")


def test_keys_that_differ_only_in_quotes_are_the_same() -> None:
    assert "given twice" in error_of("a: 1\n'a': 2\n")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("1: a\n", "1:1"),
        ("true: a\n", "1:1"),
        ("null: a\n", "1:1"),
        (": a\n", "1:1"),
        ("[1, 2]: a\n", "1:1"),
        ("? {b: 1}\n: a\n", "1:3"),
        ("x: {1.5: a}\n", "1:5"),
        ("010: a\n", "1:1"),
    ],
)
def test_a_key_is_a_word(text: str, where: str) -> None:
    assert error_of(text).startswith(f"s.yaml:{where}: ")


def test_all_mistakes_are_told_from_top_to_bottom() -> None:
    lines = error_of("a: 010\nb: 1:30\na: 2\nc: !x 1\nd: [07]\n").splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        f"s.yaml:{n}" for n in ("1:4", "2:4", "3:1", "4:4", "5:5")
    ]


# C35: paths in double quotes, tabs


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('f: "data\\new\\table\\faces.mat"', "1:4"),
        ('f: "C:\\faces"', "1:4"),
        ('f: "a\\x41b"', "1:4"),
        ('f: "C:\\_data"', "1:4"),
        ('f: "C:\\Norl"', "1:4"),
        ('f: "a\\ b"', "1:4"),
        ('f: "\\0"', "1:4"),
        ('f: "\\u0007"', "1:4"),
        ('f: "\\ud800"', "1:4"),
        ('f: "C:\\Users\\faces.mat"', "1:9"),
        ('f: "C:\\data"', "1:8"),
        ("f: 'a\tb'", "1:4"),
        ("f: 'a\n\n  b'", "1:4"),
    ],
)
def test_a_control_character_in_a_path_is_refused(text: str, where: str) -> None:
    message = error_of(text)
    assert message.startswith(f"s.yaml:{where}: ")
    assert "single quotes" in message
    assert "/" in message


def test_backslashes_that_are_meant() -> None:
    assert value_of(
        """a: 'data\\new'\nb: data\\new\nc: "data\\\\new"\nd: "M\\u00fcller \\"x\\" \\/"\n"""
    ) == {
        "a": "data\\new",
        "b": "data\\new",
        "c": "data\\new",
        "d": 'Müller "x" /',
    }
    assert value_of('a: "one \\\n  two"\n') == {"a": "one two"}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a:\n\t- {name: nmf}\n", "2:1"),
        ("a:\n  \tb: 1\n", "2:3"),
        ("a:\tb\n", "1:3"),
        ("a: {\n\tb: 1}\n", "2:1"),
        ("a: b\n\tc: d\n", "2:1"),
    ],
)
def test_tabs_are_named(text: str, where: str) -> None:
    message = error_of(text)
    assert message.startswith(f"s.yaml:{where}: a tab")


# other syntax


@pytest.mark.parametrize(
    ("text", "where", "part"),
    [
        ("a: [1, 2\n", "2:1", "list that begins in line 1 is not closed"),
        ("a: {b: 1\n", "2:1", "mapping that begins in line 1 is not closed"),
        ("a: [a: [", "1:9", "the file ends where a value is missing; close what was opened"),
        ("a: 'x\n", "1:4", "quoted text that begins here is not closed"),
        ("a: b: c\n", "1:5", "quote text that holds ': '"),
        ("a: @x\n", "1:4", "cannot start with '@'"),
        ("a: `x`\n", "1:4", "cannot start with '`'"),
        ("a: %x\n", "1:4", "cannot start with '%'"),
        ("a: 1\n b: 2\n", "2:3", "indentation"),
        ("a\nb: 1\n", "2:2", "':' where none can be"),
        ("a: 1\nb\n", "2:1", "expected 'key: value'"),
        ("a: *\n", "1:5", "quote text"),
        ("a: - b\n", "1:4", "list item"),
        ("%FOO\n", "2:1", ""),
        ("%YAML 2.0\n---\na: 1\n", "1:1", ""),
        ("a: | x\n", "1:6", ""),
        ("a: !<x\n", "1:7", "quote it"),
        ("]", "1:1", ""),
        ('a: "\\UFFFFFFFF"\n', "1:1", "not valid YAML"),
        (f"%YAML {'1' * 5000}.1\n---\na: 1\n", "1:1", "not valid YAML"),
    ],
)
def test_syntax_errors_say_where_and_what_to_do(text: str, where: str, part: str) -> None:
    message = error_of(text)
    assert "\n" not in message
    assert message.startswith(f"s.yaml:{where}: ")
    assert part in message


def test_messages_are_bounded_whatever_the_file_holds() -> None:
    message = error_of("\n".join(f"{i}: {'x' * 5000}" for i in range(100)) + "\nbad: 010\n")
    assert len(message.splitlines()) == 51
    assert message.endswith("… and 51 more")
    assert max(map(len, message.splitlines())) < 800
