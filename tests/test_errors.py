"""The tree of errors: what the drawing at its head promises."""

import importlib
import pkgutil

import parsers
from parsers import errors


def test_every_error_for_people_is_in_the_drawing():
    for module in pkgutil.walk_packages(parsers.__path__, "parsers."):
        importlib.import_module(module.name)
    names = {error.__name__ for error in errors.ParserscopeError.__subclasses__()}
    assert {"TemplateError", "RendererError"} <= names
    assert sorted(name for name in names if f"── {name} " not in errors.__doc__) == []
