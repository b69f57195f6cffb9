"""Text of others, which no format takes for markup: markdown, LaTeX, a spreadsheet."""

from __future__ import annotations

import re

# What markdown would take for markup: beside a few signs a < before a tag, an _ or ~ before what it would set
# otherwise, and an & before the name of a character.
_MARKUP = re.compile(r"[\\`*\[]|<(?=[A-Za-z/!?])|(?<![^\W_])_(?=\S)|~(?=\S)|&(?=#?\w+;)")


def unbroken(text: str) -> str:
    """Text without breaks, one space between words."""
    return " ".join(text.split())


def escape_markdown(text: str) -> str:
    """Text that markdown shows as it is, on one line."""
    escaped = _MARKUP.sub(r"\\\g<0>", unbroken(text))
    return f"\\{escaped}" if escaped.startswith(("_", "#", "~")) else escaped


def escape_cell(text: str) -> str:
    """Text that stays one cell of a markdown table."""
    return escape_markdown(text).replace("|", r"\|")


# Signs with their commands in LaTeX's formulas.  Texts of others may hold more; their TeX must know those.
_SIGNS = (
    "±pm ×times ·cdot √surd ‖| ≤le ≥ge ≠ne ≈approx ←leftarrow →rightarrow ↑uparrow ↓downarrow ΣSigma αalpha "
    "βbeta γgamma δdelta εvarepsilon θtheta λlambda μmu νnu ξxi πpi ρrho σsigma τtau χchi ωomega"
)
_LATEX_CHARACTERS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    '"': "''",  # \textquotedbl is not in every font encoding
    "−": r"$-$",
    "–": "--",
    "…": r"\ldots{}",
    "ᵀ": r"$^{\top}$",
    **{pair[0]: f"$\\{pair[1:]}$" for pair in _SIGNS.split()},
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def escape_latex(text: str) -> str:
    """Text that LaTeX sets as it is; what stands between back-ticks as code."""
    apart = re.split("-(?=-)", unbroken(text))  # LaTeX would set two hyphens, as of --rope, as a dash
    escaped = "-{}".join("".join(_LATEX_CHARACTERS.get(c, c) for c in part) for part in apart)
    return re.sub("`([^`]+)`", r"\\texttt{\1}", escaped)


def spreadsheet_safe(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
