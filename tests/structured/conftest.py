"""Registers the marker of tests that ask a real grammar engine, which few installations have."""


def pytest_configure(config):
    config.addinivalue_line("markers", "xgrammar: asks the grammar engine xgrammar; skipped where it is not installed")
