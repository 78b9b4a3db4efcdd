"""The published JSON Schemas, and that of ``results.json`` in particular."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from ctkmatrix import schema
from ctkmatrix.model import Metric
from ctkmatrix.store import Store
from tests.results_factory import results

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def written(tmp_path: Path) -> dict[str, Any]:
    """Return what ``results.json`` holds, as the store writes it."""
    run = Store(tmp_path).create()
    run.write_results(results(metric=Metric.BOTH), {})
    found: dict[str, Any] = json.loads((run.directory / "results.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    """Return the published schema, which is a schema itself."""
    published = json.loads(schema.RESULTS.path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(published)
    return Draft202012Validator(published)


@pytest.mark.parametrize("kind", schema.KINDS)
def test_the_published_schema_is_the_codes(kind: schema.Kind) -> None:
    """`python -m ctkmatrix.schema` writes it again after a change of the model."""
    assert kind.path.read_text(encoding="utf-8") == schema.text(kind)


def test_what_is_written_fits(written: dict[str, Any], validator: Draft202012Validator) -> None:
    """With times, counts, failures and cells that did not run."""
    validator.validate(written)


def test_units_are_told(validator: Draft202012Validator) -> None:
    """A reader of the schema alone learns what a number is."""
    parts = validator.schema["$defs"]
    assert "seconds" in parts["Estimate"]["description"].lower()
    assert "instructions" in parts["Count"]["description"].lower()


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("schema",), 0),
        (("manifest", "schema"), 0),
        (("fields", 0, "outcome", "status"), "perhaps"),
        (("cells", 0, "cell", "toolkit"), 13.5),
        (("fields", 0, "time", "value"), "12"),
    ],
)
def test_what_is_wrong_does_not_fit(
    written: dict[str, Any], validator: Draft202012Validator, path: tuple[str | int, ...], wrong: object
) -> None:
    """Another version, a status that there is not, a number as a text."""
    at: Any = written
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = wrong
    with pytest.raises(ValidationError):
        validator.validate(written)
