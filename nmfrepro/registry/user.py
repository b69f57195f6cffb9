"""Where users' plug-in files are imported: ``my_nmf.py`` is the module ``nmfrepro.registry.user.my_nmf``.

A worker process that receives an object of such a file finds its class by that name.
"""

from __future__ import annotations

from collections.abc import Iterator


class _Folders:
    """The folders of the plug-in files, looked up anew at every import."""

    def __iter__(self) -> Iterator[str]:
        from . import plugins  # every plug-in file becomes a name of this module, also one called plugins.py

        return iter(dict.fromkeys(str(path.parent) for path in plugins.paths()))


__path__ = _Folders()
