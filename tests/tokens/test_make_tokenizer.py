import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "make_tokenizer.py"


@pytest.mark.skipif(not TOOL.exists(), reason="the tool is not part of the source distribution")
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_merges_file_is_what_the_corpus_gives(hash_seed):
    run = subprocess.run(
        [sys.executable, str(TOOL), "--check"],
        env={"PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
