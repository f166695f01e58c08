"""Puts the app inside the package when a wheel is built.

`app.py` and `views` are too common as top-level names to install, so they go to `parsers/_app`, where
`parsers.files.home` finds them. An editable install uses them in place.
"""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

APP_FILES = ("app.py", "views", "samples", ".streamlit/config.toml")


class AppInsidePackage(BuildHookInterface[Any]):
    """Adds the app's files to a wheel that is not an editable one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files; `version` is "standard" or "editable"."""
        if version == "standard":
            build_data["force_include"].update({name: f"parsers/_app/{name}" for name in APP_FILES})
