"""Validates the custom resources in YAML files against the schemas of their definitions; unknown fields are errors.

    custom-resources.py DIRECTORY ... FILE ...      the directories have the CustomResourceDefinitions
"""
import pathlib
import sys

import jsonschema
import yaml


def strict(schema):
    """The schema in JSON Schema's own words, without room for fields that it does not name."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: strict(value) for key, value in schema.items()}
    if result.pop("x-kubernetes-int-or-string", False):
        result.pop("type", None)
        result["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    if isinstance(schema.get("properties"), dict) and not schema.get("x-kubernetes-preserve-unknown-fields"):
        result.setdefault("additionalProperties", False)
    return result


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Takes '=' for a string, as it is meant in the definitions."""


Loader.add_constructor("tag:yaml.org,2002:value", lambda loader, node: loader.construct_scalar(node))


def is_custom(resource):
    group = resource["apiVersion"].split("/")[0]
    return "." in group and not group.endswith(".k8s.io")


def definitions(directories, kinds):
    """By API version and kind. Only the files of these kinds are read: the others are large."""
    known = {}
    for kind in kinds:
        (file,) = (file for directory in directories for file in pathlib.Path(directory).glob(f"*[_-]{kind.lower()}s.yaml"))
        spec = yaml.load(file.read_text(), Loader)["spec"]
        for version in spec["versions"]:
            schema = strict(version["schema"]["openAPIV3Schema"])
            schema["properties"]["metadata"] = {"type": "object"}
            known[f"{spec['group']}/{version['name']}", spec["names"]["kind"]] = schema
    return known


def main(*arguments):
    directories = [argument for argument in arguments if pathlib.Path(argument).is_dir()]
    faults = 0
    for file in arguments[len(directories):]:
        custom = [resource for resource in yaml.load_all(pathlib.Path(file).read_text(), Loader) if is_custom(resource)]
        known = definitions(directories, {resource["kind"] for resource in custom})
        for resource in custom:
            schema = known[resource["apiVersion"], resource["kind"]]
            for error in jsonschema.Draft202012Validator(schema).iter_errors(resource):
                path = ".".join(str(part) for part in error.absolute_path)
                print(f"{file}: {resource['kind']} {resource['metadata']['name']}: {path}: {error.message}", file=sys.stderr)
                faults += 1
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:]))
