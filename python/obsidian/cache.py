"""Compiled programs on disk, so that another process does not compile them again.

In: a key, which contains all inputs of the compiler. Out: texts by name. The folder is
the one that OBS_CACHE_DIR names, or `obsidian` in the user's cache; an empty OBS_CACHE_DIR is no
cache. Files can be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

_DIGEST = 64


def folder() -> Path | None:
    """The folder of the cache; None if there is none."""
    named = os.environ.get("OBS_CACHE_DIR")
    if named is not None:
        return Path(named) if named else None
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "obsidian"
    except RuntimeError:
        return None


def key_of(*parts: object) -> str:
    """The name of an entry for everything that it depends on."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def read(key: str) -> dict[str, str] | None:
    """The texts of an entry; None if there is none, or if it is damaged."""
    place = folder()
    if place is None:
        return None
    try:
        data = (place / key).read_bytes()
    except OSError:
        return None
    digest, body = data[:_DIGEST], data[_DIGEST:]
    if digest != hashlib.sha256(body).hexdigest().encode():
        return None
    texts: dict[str, str] = json.loads(body)
    return texts


def replace(place: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file. Other processes read either the old file or the new one, never a mixture.

    `mode` has the permissions of the file. Raises OSError.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        os.replace(name, place)
    except BaseException:
        os.unlink(name)
        raise


def write(key: str, texts: Mapping[str, str]) -> None:
    """Store an entry. Other processes read either the old entry or the new one, never a mixture.

    A folder that cannot be written is no error: the next process compiles again.
    """
    place = folder()
    if place is None:
        return
    body = json.dumps(texts).encode()
    with contextlib.suppress(OSError):
        replace(place / key, hashlib.sha256(body).hexdigest().encode() + body)
