"""The workflow language as a JSON Schema, from which editors complete, explain and check.

It is derived from the models. It is wider than they are: what only code can say (instants, what belongs together,
which names are declared) is left to `issues_of`.

Source: language.md, "Workflow DSL v2" (exported for editors).
"""

from __future__ import annotations

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DictSchema, NullableSchema, WithDefaultSchema

from sealwork.domain.json_value import JsonObject
from sealwork.domain.workflows.json_schema import DRAFT
from sealwork.domain.workflows.workflow import Workflow

TITLE = "Sealwork workflow"


class _OfTheLanguage(GenerateJsonSchema):
    """Pydantic's own way to say what its schema gets wrong about this language."""

    def nullable_schema(self, schema: NullableSchema) -> JsonSchemaValue:
        """Leave `null` out: a field that says nothing is not written."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        """Leave out the default of a field whose absence is its meaning."""
        if schema.get("default") is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def dict_schema(self, schema: DictSchema) -> JsonSchemaValue:
        """Refuse names that do not have the form of those before the values."""
        described = super().dict_schema(schema)
        return {**described, "additionalProperties": False} if "patternProperties" in described else described

    def field_title_should_be_set(self, schema: object) -> bool:
        """Give no field a title: it would only repeat its name."""
        return False


def language_schema() -> JsonObject:
    """Return the schema, in Draft 2020-12, of every document that `read_workflow` takes."""
    described: JsonObject = Workflow.model_json_schema(by_alias=True, schema_generator=_OfTheLanguage)
    return {"$schema": DRAFT, **described, "title": TITLE}
