"""The examples as models."""

from pathlib import Path

import pytest

from eventide.experiment import imported, only_model

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def example():
    """A function: the model of an example, by the name of its file."""

    def load(name):
        path = EXAMPLES / f"{name}.py"
        with imported(path) as module:
            return only_model(module, path)

    return load
