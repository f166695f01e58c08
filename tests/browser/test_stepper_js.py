"""Runs the unit tests of the stepper's pure functions in node, on the module that the browser gets."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser.synthetic import synthetic
from tests.browser.synthetic_panels import with_panels
from views.ui.stepper import bundle

TRACES = {"stepper": synthetic(100), "panels": with_panels(synthetic(100), hidden=True)}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("tests", TRACES)
def test_pure_functions(tests, tmp_path):
    module, trace = tmp_path / "stepper.mjs", tmp_path / "trace.json"
    module.write_text(bundle(), encoding="utf-8")
    trace.write_text(json.dumps(TRACES[tests]), encoding="utf-8")
    environment = os.environ | {"STEPPER_MODULE": module.as_uri(), "STEPPER_TRACE": str(trace)}
    run = subprocess.run(
        ["node", "--test", str(Path(__file__).with_name(f"{tests}.test.mjs"))],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr


def test_the_bundle_is_one_module_with_every_part():
    code = bundle()
    assert "import {" not in code
    assert len(re.findall(r"^export default", code, re.MULTILINE)) == 1


def test_the_page_is_written_as_text_only():
    # Model output is hostile: the component has no way to turn a string into markup.
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\("
    assert not re.search(forbidden, bundle())
