"""The JSON Schemas of what is written, from the dataclasses behind it: ``python -m ctkmatrix.schema`` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ctkmatrix import model, store, validation

DIRECTORY = Path(__file__).parent.parent / "docs" / "schema"


class Kind(NamedTuple):
    """A kind of file: the dataclass that it holds, its version, and the dataclasses in it that tell the version."""

    name: str
    holds: type
    version: int
    versioned: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Where its schema is published."""
        return DIRECTORY / f"{self.name}.schema.json"


RESULTS = Kind("results", model.Results, model.SCHEMA, ("Results", "Manifest"))
VERDICT = Kind("verdict", validation.Validation, validation.SCHEMA, ("Validation",))
KINDS = (RESULTS, VERDICT)


def schema(kind: Kind) -> dict[str, Any]:
    """Return the schema. It is of one version: a file that says another does not fit."""
    found = msgspec.json.schema(kind.holds, schema_hook=_anything)
    for name in kind.versioned:
        definition = found["$defs"][name]
        definition["properties"]["schema"] = {"const": kind.version}
        definition["required"].append("schema")
    title = f"ctkmatrix {kind.name}, schema {kind.version}"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **found}


def _anything(_type: type) -> dict[str, Any]:
    """Describe ``object``, the leaves and branches of what is JSON-like; msgspec asks that something be said."""
    return {"description": "Whatever JSON can hold."}


def text(kind: Kind) -> str:
    """Return the schema as the file holds it."""
    return msgspec.json.format(msgspec.json.encode(schema(kind)), indent=1).decode() + "\n"


if __name__ == "__main__":
    for one in KINDS:
        store.replace(one.path, text(one).encode())
        print(one.path)
