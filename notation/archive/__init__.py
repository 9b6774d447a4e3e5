"""Archives that do not fit into memory: records put in order, divided, joined and compared.

Records are carried as they stand in their files, `Entry.text`; what is kept of them meanwhile is
bounded, or lies in temporary files that vanish with the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def verbatim(texts: Iterable[str | bytes]) -> Iterator[bytes]:
    r"""Yield the bytes of a file of these records: an empty line between two of them.

    >>> b"".join(verbatim(['[Game "yavalath"] *', b'[Game "surikata"] *']))
    b'[Game "yavalath"] *\n\n[Game "surikata"] *\n'
    """
    between = b""
    for text in texts:
        yield between + (text.encode() if isinstance(text, str) else text) + b"\n"
        between = b"\n"
