"""What a text or a file is as a tree, or the message with which it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmfrepro.core.errors import SpecError
from nmfrepro.spec.complaints import Complaints
from nmfrepro.spec.yamltree import Node, parse, read_tree

OK = "title: t1\ndataset: {file: mat/ok.mat}\nalgorithms:\n  - {name: nmf, k: 5}\nseed: 1\n"


def tree_of(text: str) -> Node:
    """The tree of a text without mistakes."""
    complaints = Complaints()
    node = parse(text, "s.yaml", complaints)
    complaints.raise_if_any()
    return node


def value_of(text: str) -> object:
    """What it says, as Python has it."""
    return tree_of(text).plain


def error_of(text: str) -> str:
    """All that is told of a text that is refused."""
    with pytest.raises(SpecError) as caught:
        tree_of(text)
    return str(caught.value)


def file_error(path: Path) -> str:
    """The one line with which a file is refused."""
    with pytest.raises(SpecError) as caught:
        read_tree(path, Complaints())
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    return message
