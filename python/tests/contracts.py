"""Launch contracts of tests: as much of them as the launches of a program need."""

from __future__ import annotations

from typing import Any


def array(name: str, rank: int = 1) -> dict[str, Any]:
    return {"kind": "array", "name": name, "rank": rank, "elementType": "f32", "size": 4}


def scalar(name: str) -> dict[str, Any]:
    return {"kind": "scalar", "name": name, "elementType": "index", "size": 8}


def pointer(name: str) -> dict[str, Any]:
    return {"kind": "pointer", "name": name}


def extent(name: str, of: str | None = None) -> dict[str, Any]:
    parameter: dict[str, Any] = {"kind": "extent", "name": name}
    return parameter if of is None else {**parameter, "pointer": of, "dimension": 0}


def launch(kernel: str, *arguments: str) -> dict[str, Any]:
    return {"step": "launch", "kernel": kernel, "arguments": list(arguments)}


def program(parameters: Any, steps: Any, **kernels: Any) -> dict[str, Any]:
    return {
        "functions": [{"name": "main", "parameters": parameters, "steps": steps}],
        "kernels": [{"entry": entry, "parameters": p} for entry, p in kernels.items()],
    }
