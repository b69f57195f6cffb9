"""What all verbs share: suggestions, ``--plugin``, settings told as options, safe text."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commandline import invoke, nmfrepro

from nmfrepro.cli import COMMANDS, group
from nmfrepro.cli.verbs import spelling
from nmfrepro.core.errors import DataError, Setting, SpecError, SpecErrors, as_key, as_keyword
from nmfrepro.core.terminal import pasted, safe


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["rnu", "x"], "did you mean run?"),
        (["data", "lst"], "did you mean list?"),
        (["list", "algorithmz"], "did you mean algorithms?"),
        (["table", "--format", "latx", "x"], "did you mean latex?"),
        (["run", "--smok", "x"], "--smoke"),
        (["stats", "x", "--alpha", "nan"], "nan is not a number"),
        (["stats", "x", "--rope", "nan"], "nan is not a number"),
    ],
)
def test_an_unknown_word_gets_a_suggestion(arguments: list[str], hint: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert hint in result.output


def commands(parent: click.Group = group) -> list[click.Command]:
    context = click.Context(parent)
    found = [parent.get_command(context, name) for name in parent.list_commands(context)]
    return [
        each
        for known in found
        if known
        for each in (commands(known) if isinstance(known, click.Group) else [known])
    ]


def test_a_plug_in_may_be_named_behind_every_verb() -> None:
    assert len(commands()) > len(COMMANDS)
    for command in commands():
        assert "plugin" in [each.name for each in command.params], command.name


def test_every_option_has_a_text_that_begins_with_a_capital_and_ends() -> None:
    for command in commands():
        for each in command.params:
            if isinstance(each, click.Option):
                text = each.help or ""
                assert text[:1].isupper(), (command.name, each.name)
                assert text[-1] in ".]", (command.name, each.name)


def test_an_unknown_method_names_the_option_for_ones_own() -> None:
    error = invoke("fit", "x.npz", "-a", "mine", "-k", "2").exception
    assert isinstance(error, SpecError)
    assert "there is no algorithm 'mine'" in str(error)
    assert "--plugin FILE" in str(error)


def test_a_setting_is_written_as_its_user_writes_it() -> None:
    error = DataError("give ", Setting("levels"), " or ", Setting("scale", "max"), option="file")
    assert error.spelled(as_key) == str(error) == "give levels or scale: max"
    assert error.spelled(as_keyword) == "give levels or scale='max'"
    assert repr(error) == "DataError('give levels or scale: max')"
    assert repr(SpecErrors([error, error])) == f"SpecErrors({str(error) + chr(10) + str(error)!r})"
    context = click.Context(group)
    fit, run = group.get_command(context, "fit"), group.get_command(context, "run")
    assert fit
    assert run
    assert error.spelled(spelling(fit)) == "give --levels or --scale max"
    assert error.spelled(spelling(run)) == "give levels or scale: max"
    assert SpecError("use ", Setting("tol", 0)).spelled(spelling(fit)) == "use --set tol=0"


def test_text_cannot_steer_a_terminal() -> None:
    assert safe("a\x1b[31mb\x9bc\u202ed\te\n") == "a\\x1b[31mb\\x9bc\\u202ed\te\n"
    assert safe("\udce9").encode() == b"\\udce9"


@pytest.mark.parametrize("name", ["two words", "-dash", "--", "it's", "x;touch y;#", "$(touch y)", "a\nb"])
def test_a_printed_path_is_one_argument_and_no_option(tmp_path: Path, name: str) -> None:
    """A shell takes what is pasted for the file of that name."""
    (tmp_path / name).write_text("content")
    command = ["/bin/sh", "-c", f"cat {pasted(name)}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout == b"content"
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("verb", ["table", "rows", "verify"])
def test_an_impossible_path_is_one_line_that_names_it(verb: str) -> None:
    done = nmfrepro(verb, "a" * 300)
    assert done.returncode == 2
    assert re.fullmatch(r"Error: a{300}.*: cannot be opened \(File name too long\)\n", done.stderr)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("OSError(errno.ENOSPC, 'full')", "the output cannot be written (full)"),
        ("OSError(errno.ENOSPC, 'full', 'a/b')", "a/b: cannot be opened (full)"),
        ("OSError(errno.EAGAIN, 'no fork')", "the system refused (no fork)"),
    ],
)
def test_a_failure_of_the_system_is_named_as_what_it_is(error: str, said: str) -> None:
    program = f"""
import errno
from nmfrepro import cli
def fail(**options): raise {error}
cli.group.main = fail
cli.main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"Error: {said}\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "nmfrepro", "list", "algorithms"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: the output cannot be written")
    assert len(done.stderr.splitlines()) == 1
