"""Streams: the same numbers for a name, whatever else happens; what `rng=` may be; what a draw costs to import."""

import copy
import os
import pickle
import subprocess
import sys
from hashlib import blake2b
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import MT19937, PCG64, SFC64, Generator, SeedSequence, default_rng

from eventide.streams import uniforms as source
from eventide.streams.streams import Stream, entropy_from


def uniforms(stream, count):
    return [stream.random() for _ in range(count)]


def run_python(code, hash_seed="0"):
    """What a fresh interpreter prints."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
@given(st.integers(0, 2**130), st.text(min_size=1), st.integers(0, 2**64 - 1))
def test_uniforms_are_those_of_numpy_with_the_last_bit_set(entropy, name, replication):
    words = np.frombuffer(blake2b(name.encode(), digest_size=16).digest(), "<u4").tolist()
    key = (*words, replication % 2**32, replication // 2**32)
    plain = Generator(SFC64(SeedSequence(entropy, spawn_key=key))).random(10)

    drawn = uniforms(Stream.named(entropy, name, replication), 10)

    assert [int(u * 2**53) for u in drawn] == [int(u * 2**53) | 1 for u in plain]


def test_numbers_stay_what_they_are():
    stream = Stream.named(20261120, "arrivals")

    assert uniforms(stream, 3) == [0.3866412782449985, 0.724753853044508, 0.44307623263790197]
    assert stream.exponential(1.0) == pytest.approx(0.013332317361675242, rel=1e-15)
    assert stream.rng.random() == 0.3967714570004296


def test_blocks_leave_no_seam():
    stream = Stream.named(1, "x")
    raw = SFC64(stream._origin.seed()).random_raw(3 * source.BLOCK)

    assert uniforms(stream, 3 * source.BLOCK) == [((int(word) >> 11) | 1) / 2**53 for word in raw]


@pytest.mark.slow
def test_same_numbers_in_another_process():
    code = (
        "from eventide.streams.streams import Stream; s = Stream.named(7, 'x', 3); print([s.random() for _ in 'abc'])"
    )

    printed = {run_python(code, seed) for seed in ("0", "1")}

    assert printed == {f"{uniforms(Stream.named(7, 'x', 3), 3)}\n"}


def test_other_streams_do_not_matter():
    alone = uniforms(Stream.named(1, "arrivals"), 2000)

    others = [Stream.named(1, name) for name in ("repairs", "arrivals ", "Arrivals")]
    among = Stream.named(1, "arrivals")
    mixed = []
    for _ in range(2000):
        mixed.append(among.random())
        for other in others:
            other.normal(0.0, 1.0)

    assert mixed == alone


def test_every_part_of_the_origin_counts():
    origins = [
        (1, "x", 0),
        (2, "x", 0),
        (1, "y", 0),
        (1, "x", 1),
        (1, "x", 2**32),
        ((1, 2), "x", 0),
        ((2, 1), "x", 0),
        (2**200, "x", 0),
    ]

    firsts = {Stream.named(*origin).random() for origin in origins}

    assert len(firsts) == len(origins)


def test_streams_are_not_correlated():
    columns = [uniforms(Stream.named(1, "x", replication), 4000) for replication in range(6)]

    beside = np.corrcoef(columns)[np.triu_indices(6, 1)]

    assert len(beside) == 15
    assert np.abs(beside).max() < 4 / 4000**0.5


@pytest.mark.parametrize("entropy", [5, 2**300])
def test_antithetic_uniforms_mirror_exactly(entropy):
    plain = uniforms(Stream.named(entropy, "x", 1), 3000)
    mirrored = uniforms(Stream.named(entropy, "x", 1, antithetic=True), 3000)

    assert mirrored == [1.0 - u for u in plain]
    assert [1.0 - u for u in mirrored] == plain


@pytest.mark.parametrize(
    ("draw", "correlation"),
    [
        (lambda stream: stream.normal(3.0, 2.0), -1.0),
        (lambda stream: stream.exponential(2.0), 1.0 - np.pi**2 / 6.0),
        (lambda stream: stream.lognormal(exp(0.5), (exp(2.0) - exp(1.0)) ** 0.5), (exp(-1.0) - 1.0) / (exp(1.0) - 1.0)),
    ],
    ids=["normal", "exponential", "lognormal"],
)
def test_antithetic_streams_move_against_each_other(draw, correlation):
    pair = [Stream.named(1, "x", antithetic=mirrored) for mirrored in (False, True)]
    columns = [[draw(stream) for _ in range(5000)] for stream in pair]

    assert np.corrcoef(columns)[0, 1] == pytest.approx(correlation, abs=0.05)


@pytest.mark.parametrize("word", [0, 2**64 - 1])
def test_uniforms_never_reach_their_ends(monkeypatch, word):
    class Stuck:
        def __init__(self, seed):
            pass

        def random_raw(self, size):
            return np.full(size, word, np.uint64)

    monkeypatch.setattr(source, "SFC64", Stuck)

    assert Stream.named(1, "x").random() == (2.0**-53 if word == 0 else 1.0 - 2.0**-53)


def test_rng_has_numbers_of_its_own():
    stream = Stream.named(1, "x")
    before = uniforms(stream, 10)
    with_arrays = Stream.named(1, "x")
    arrays = [with_arrays.rng.random(5).tolist() for _ in range(2)]

    assert uniforms(with_arrays, 10) == before
    assert arrays == [part.tolist() for part in np.split(Stream.named(1, "x").rng.random(10), 2)]
    assert set(before).isdisjoint(arrays[0])
    assert Stream.named(1, "y").rng.random() != arrays[0][0]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps], ids=["copy", "deepcopy", "pickle"])
def test_streams_are_not_copied(copied):
    with pytest.raises(TypeError, match="stream 'x' is neither copied nor pickled: make it again by its name"):
        copied(Stream.named(1, "x"))


def test_repr():
    assert repr(Stream.named(7, "x")) == "<Stream 'x' of entropy 7, replication 0>"
    assert (
        repr(Stream.named([1, 2], "x", 3, antithetic=True))
        == "<Stream 'x' of entropy (1, 2), replication 3, antithetic>"
    )


@pytest.mark.parametrize(
    ("error", "arguments", "message"),
    [
        (ValueError, (1, ""), "the name of a stream is ''"),
        (ValueError, (1, 3), "the name of a stream is 3"),
        (ValueError, (-1, "x"), "stream 'x': entropy=-1, replication=0: entropy takes ints from 0 on"),
        (ValueError, ([], "x"), r"stream 'x': entropy=\[\]"),
        (ValueError, (1, "x", -1), "replication=-1"),
        (TypeError, (1.5, "x"), "stream 'x': entropy=1.5: give an int or a sequence of ints"),
        (TypeError, (None, "x"), "entropy_from"),
        (TypeError, ("abc", "x"), "give an int or a sequence of ints"),
    ],
    ids=str,
)
def test_origins_are_checked(error, arguments, message):
    with pytest.raises(error, match=message):
        Stream.named(*arguments)


def test_entropy_from_what_numpy_takes():
    assert entropy_from(5) == 5
    assert entropy_from(np.int64(5)) == 5
    assert entropy_from(SeedSequence(2**90)) == 2**90
    assert type(entropy_from(np.int64(5))) is int


def test_fresh_entropy_is_fresh():
    drawn = {entropy_from(None) for _ in range(5)}

    assert len(drawn) == 5
    assert max(drawn) > 2**64


def test_entropy_from_spawned_seeds():
    seeds = [*SeedSequence(1).spawn(2), SeedSequence([1, 2]), SeedSequence(1, pool_size=8), SeedSequence(1)]

    first, again = ([entropy_from(seed) for seed in seeds] for _ in range(2))

    assert first == again
    assert len(set(first)) == 5


@pytest.mark.parametrize("make", [default_rng, PCG64, MT19937, SFC64])
def test_entropy_from_generators(make):
    generator = make(1)
    drawn = [entropy_from(generator), entropy_from(generator), entropy_from(make(1))]

    assert drawn[0] == drawn[2]
    assert drawn[0] != drawn[1]
    assert min(drawn) > 2**90
    assert max(drawn) < 2**128


@pytest.mark.parametrize(
    "bad",
    ["1", 1.0, True, [1, 2], np.random.RandomState, np.random],
    ids=["text", "float", "bool", "list", "class", "module"],
)
def test_entropy_from_nothing_else(bad):
    with pytest.raises(TypeError, match="give None, an int, or a SeedSequence, BitGenerator or Generator"):
        entropy_from(bad)


def test_entropy_is_not_negative():
    with pytest.raises(ValueError, match="rng=-1: an int given as rng must be 0 or greater"):
        entropy_from(-1)


@pytest.mark.slow
def test_streams_load_numpy_and_the_standard_library_only():
    loaded = "print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    model = """
from eventide.streams.streams import Stream
from eventide.statistics import Tally
stream, tally = Stream.named(1, "x"), Tally()
for draw in (stream.gamma, stream.beta, stream.normal):
    tally.add(draw(2.0, 3.0))
tally.confidence_interval()
"""
    numpy_alone = set(run_python("import sys, numpy.random\n" + loaded).split())
    with_streams = set(run_python("import sys\n" + model + loaded).split())

    assert with_streams - numpy_alone == {"eventide"}
    assert with_streams.isdisjoint({"scipy", "pandas", "numba", "matplotlib"})
