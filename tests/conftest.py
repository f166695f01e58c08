"""Keeps every test off the network, and says how many examples the laws are tried on.

`pytest` runs profile `ci`, the same examples every time; `pytest --hypothesis-profile=long` looks for new ones.
"""

import os

from hypothesis import HealthCheck, settings

os.environ["HF_HUB_OFFLINE"] = "1"  # before any tokenizer library is imported

SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, suppress_health_check=SLOW_IS_FINE)
settings.register_profile("long", max_examples=2000, deadline=None, print_blob=True, suppress_health_check=SLOW_IS_FINE)
settings.load_profile("ci")
