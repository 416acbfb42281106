"""Numbers with units: converted to that of the field they are for, or refused; by pint if it is installed."""

from __future__ import annotations

import sys

import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(ev.Quantity(50.0, unit="cm"), unit="m")
    inflow: float = ev.field(default=1.0, unit="l/s")
    share: float = 0.5
    total: ev.Computed = ev.computed(unit="l/s")

    def equations(self):
        self.rate.level = 0.001 * self.inflow


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


@pytest.mark.slow
def test_a_quantity_is_converted_wherever_a_number_is_set(sim):
    pytest.importorskip("pint")
    given = Tank(sim, level=ev.Quantity(100.0, unit="cm"), inflow=ev.Quantity(3.6, unit="m^3/h"))
    by_default = Tank(sim)
    assert (given.level, given.inflow, by_default.level) == (1.0, pytest.approx(1.0), 0.5)

    given.level = ev.Quantity(2.0, unit="km")
    given["level"].state += 1.0
    assert given.level == 2001.0
    given["level"].state = ev.Quantity(7.0, unit="mm")
    assert given.level == 0.007
    given.level = ev.Quantity(3.0, unit="m")
    assert given.level == 3.0


def test_where_one_unit_is_not_known_a_quantity_is_its_number(sim):
    tank = Tank(sim, share=ev.Quantity(30.0, unit="%"), level=ev.Quantity(2.0))
    assert (tank.share, tank.level) == (30.0, 2.0)


@pytest.mark.slow
def test_a_quantity_of_pint_is_converted_as_well(sim):
    registry = pytest.importorskip("pint").UnitRegistry()
    assert Tank(sim, level=150.0 * registry.cm).level == 1.5


class Rod(ev.Continuous):
    u: ev.StateVector = ev.state_vector([ev.Quantity(10.0, unit="cm"), 2.0], unit="m")

    def equations(self):
        self.rate.u[:] = 1.0


@pytest.mark.slow
def test_the_items_of_a_vector_are_converted_each(sim):
    registry = pytest.importorskip("pint").UnitRegistry()
    rod, short, kilometre = Rod(sim), ev.Quantity(50.0, unit="cm"), ev.Quantity(1.0, unit="km")
    seen = [rod.u.tolist(), Rod(sim, u=(short, 4)).u.tolist(), Rod(sim, u=short).u.tolist()]
    for value in ([short, kilometre], [10.0, 30.0] * registry.cm, [3.0 * registry.mm, 2.0], ev.Quantity(4.0)):
        rod.u = value
        seen.append(rod.u.tolist())
    with rod["u"].write() as u:
        u[0] = kilometre
        u[1] += 1.0
    seen.append(rod.u.tolist())
    with rod["u"].write() as u:
        u[:] = [kilometre, 1]
    assert [*seen, rod.u.tolist()] == [
        [0.1, 2.0],
        [0.5, 4.0],
        [0.5, 0.5],
        [0.5, 1000.0],
        [0.1, 0.3],
        [0.003, 2.0],
        [4.0, 4.0],
        [1000.0, 5.0],
        [1000.0, 1.0],
    ]


def write_an_item(rod, value):
    with rod["u"].write() as u:
        u[1] = value


@pytest.mark.parametrize(
    "act",
    [
        lambda rod, hour: Rod(rod.sim, u=[1.0, hour]),
        lambda rod, hour: setattr(rod, "u", hour),
        write_an_item,
    ],
    ids=["made", "set", "item"],
)
def test_units_that_do_not_fit_a_vector_are_refused(sim, act):
    pytest.importorskip("pint")
    with pytest.raises(ev.ModelError, match=r"^Rod\.u is in m, and got 1\.0 h, which cannot be converted: "):
        act(Rod(sim, u=0.0), ev.Quantity(1.0, unit="h"))


def test_units_that_do_not_fit_are_refused(sim):
    pytest.importorskip("pint")
    with pytest.raises(ev.ModelError) as info:
        Tank(sim, level=ev.Quantity(100.0, unit="s"))
    assert str(info.value) == (
        "Tank.level is in m, and got 100.0 s, which cannot be converted: Cannot convert from 'second' ([time]) to "
        "'meter' ([length])"
    )
    tank = Tank(sim, level=1.0)
    with pytest.raises(ev.ModelError, match=r"^Tank.level is in m, and got 1.0 smoot, which cannot be converted: "):
        tank.level = ev.Quantity(1.0, unit="smoot")


def test_without_pint_another_unit_is_refused_and_the_same_is_not(sim, monkeypatch):
    from eventide.declare import units

    class Pond(ev.Continuous):
        level: ev.State = ev.state(0.0, unit="m")

    units._registry.cache_clear()
    monkeypatch.setitem(sys.modules, "pint", None)
    assert Pond(sim, level=ev.Quantity(1.0, unit="m")).level == 1.0
    with pytest.raises(ev.ModelError) as info:
        Pond(sim, level=ev.Quantity(100.0, unit="cm"))
    assert str(info.value) == (
        "Pond.level is in m, and got 100.0 cm: give it in m; or install pint, which converts units"
    )


@pytest.mark.slow
def test_quantities_are_brought_together_before_they_are_combined():
    pytest.importorskip("pint")
    metre, centimetre, second = ev.Quantity(1.0, unit="m"), ev.Quantity(1.0, unit="cm"), ev.Quantity(1.0, unit="s")
    assert (metre + centimetre, metre - centimetre) == (1.01, 0.99)
    assert (metre > centimetre, metre <= centimetre, metre < 2.0, 2.0 * metre) == (True, False, True, 2.0)
    with pytest.raises(ev.ModelError, match=r"^1.0 m is in m, and got 1.0 s, which cannot be converted: "):
        metre + second


@pytest.mark.slow
def test_quantities_are_equal_where_they_are_the_same_in_one_unit():
    """They were where their numbers are: a second was a minute, and an hour not 60 minutes."""
    pytest.importorskip("pint")
    minutes, hour = ev.Quantity(60.0, unit="min"), ev.Quantity(1.0, unit="h")
    assert (hour == minutes, minutes == hour, hour != minutes) == (True, True, False)
    assert (minutes == ev.Quantity(60.0, unit="s"), minutes != ev.Quantity(60.0, unit="s")) == (False, True)
    with pytest.raises(ev.ModelError, match=r"^1.0 h is in h, and got 1.0 m, which cannot be converted: "):
        hour == ev.Quantity(1.0, unit="m")  # noqa: B015


def test_a_quantity_equals_its_number_and_has_a_hash_without_a_unit_alone(monkeypatch):
    from eventide.declare import units

    units._registry.cache_clear()
    monkeypatch.setitem(sys.modules, "pint", None)
    hour = ev.Quantity(1.0, unit="h")
    assert [hour == other for other in (1.0, 1, ev.Quantity(1.0, unit="h"), ev.Quantity(1.0))] == [True] * 4
    assert [hour != other for other in (2.0, "1.0 h", ev.Tally(unit="h"), None)] == [True] * 4
    with pytest.raises(ev.ModelError, match=r"^1.0 h is in h, and got 60.0 min: give it in h; or install pint"):
        hour == ev.Quantity(60.0, unit="min")  # noqa: B015
    assert {1.0: "one"}[ev.Quantity(1.0)] == "one"
    message = r"^1.0 h has no hash, as it equals quantities of other units: as a key, or in a set, take its number"
    with pytest.raises(TypeError, match=message):
        hash(hour)


def test_an_integral_keeps_the_unit_of_what_is_integrated(sim):
    tank = Tank(sim, level=1.0)
    assert sim.integral(tank["level"], unit="m").unit == "m"
    message = r"^integral 2 is in m, and its integral cannot be one of 'kg': leave unit= out$"
    with pytest.raises(ev.ModelError, match=message):
        sim.integral(tank["level"], unit="kg")


HOUR = ev.Quantity(1.0, unit="h")


def refusal(sim: ev.Simulation, command: object) -> str:
    """With what words a process is refused that yields it."""

    def program():
        with pytest.raises(ev.ModelError) as info:
            yield command
        told.append(str(info.value))

    told: list[str] = []
    sim.process(program(), name="one")
    sim.run()
    return told[0]


def test_a_duration_in_the_time_unit_is_that_number_and_others_need_pint(monkeypatch):
    from eventide.declare import units

    units._registry.cache_clear()
    monkeypatch.setitem(sys.modules, "pint", None)
    sim = ev.Simulation(time_unit="h", dt_max=ev.Quantity(2.0, unit="h"))

    log = []

    def program():
        for command in (ev.hold(HOUR), HOUR, ev.hold(ev.Quantity(1.0)), ev.first_of(one=ev.hold(HOUR), other=HOUR)):
            yield command
            log.append(sim.time)

    sim.process(program())
    sim.run(until=ev.Quantity(6.0, unit="h"))
    assert (log, sim.time, sim.dt_max, type(ev.hold(1.0))) == ([1.0, 2.0, 3.0, 4.0], 6.0, 2.0, float)
    for command in (ev.hold(ev.Quantity(60.0, unit="min")), ev.Quantity(60.0, unit="min")):
        assert refusal(sim, command) == (
            "the hold of one is in h, and got 60.0 min: give it in h; or install pint, which converts units"
        )


def test_a_duration_with_a_unit_is_refused_where_the_simulation_has_none(sim):
    told = (
        "got 1.0 h, and the simulation has no time unit: "
        'give it one, as in Simulation(time_unit="s"), or give a plain number'
    )
    for command in (ev.hold(HOUR), HOUR, ev.hold(HOUR, 1.0)):
        assert refusal(sim, command) == f"the hold of one {told}"
    process = sim.process(one for one in [ev.passivate()])
    sim.run()
    for act, what in (
        (lambda: sim.run(until=HOUR), "run(until=...)"),
        (lambda: process.activate(at=HOUR), "at="),
        (lambda: process.activate(delay=HOUR), "delay="),
        (lambda: setattr(sim, "dt_min", HOUR), "dt_min"),
        (lambda: setattr(sim, "dt_max", HOUR), "dt_max"),
        (lambda: ev.SteadyState(sim, lambda: 1.0, portion=HOUR), "SteadyState(portion=...)"),
        (lambda: ev.SteadyState(sim, lambda: 1.0, portion=1.0, warm_up=HOUR), "SteadyState(warm_up=...)"),
    ):
        with pytest.raises(ev.ModelError) as info:
            act()
        assert str(info.value) == f"{what} {told}"


def test_a_period_is_a_plain_number_as_it_is_exact(sim):
    desk = ev.Resource(sim)
    for act, what in (
        (lambda: ev.tick(HOUR), "a period"),
        (lambda: ev.tick(hz=HOUR), "hz="),
        (lambda: ev.every(HOUR), "a period"),
        (lambda: ev.every(1.0, offset=HOUR), "offset="),
        (lambda: ev.Reporter(sim, every=HOUR), "a period"),
        (lambda: sim.record(one=lambda: 1.0, every=HOUR), "a period"),
        (lambda: ev.Shifts(sim, desk, [(8, 16)], period=HOUR), "a period"),
        (lambda: ev.Shifts(sim, desk, [(HOUR, 16)], period=24), "a shift"),
        (lambda: ev.Shifts(sim, desk, [(8, 16)], period=24, start=HOUR), "start="),
    ):
        with pytest.raises(ev.ModelError) as info:
            act()
        assert str(info.value) == (f"{what} got 1.0 h: it takes a plain number, of the time unit of the simulation")


@pytest.mark.slow
def test_a_duration_is_converted_to_the_time_unit_of_the_simulation():
    """A quantity was taken as it is, whatever its unit; those of pint were refused."""
    pint = pytest.importorskip("pint")
    for hour in (HOUR, pint.UnitRegistry().Quantity(1.0, "hour")):
        sim = ev.Simulation(time_unit="min")
        log = []

        def program(sim=sim, log=log, hour=hour):
            for command in (ev.hold(hour), hour, ev.hold(hour, 2.0), ev.first_of(a=ev.hold(90.0), b=hour)):
                yield command
                log.append(sim.time)
            yield from ev.Resource(sim).use(hour)
            log.append(sim.time)

        def passive(sim=sim, log=log):
            yield ev.passivate()
            log.append(-sim.time)

        def start(hour=hour, sim=sim, passive=passive):
            idle, other = sim.process(passive()), sim.process(passive())
            yield ev.hold(6.0)
            idle.activate(delay=hour)
            other.activate(at=0.1 * hour if hour is not HOUR else ev.Quantity(0.1, unit="h"))

        sim.process(program())
        sim.process(start())
        sim.run(until=4.0 * hour if hour is not HOUR else ev.Quantity(4.0, unit="h"))
        assert (sim.time, log) == (240.0, [-6.0, 60.0, -66.0, 120.0, 180.0])
        sim.run()
        assert log[5:] == [240.0, 300.0]
        sim.dt_min, sim.dt_max = 0.5 * hour if hour is not HOUR else HOUR, hour
        assert (sim.dt_min, sim.dt_max) == (60.0 if hour is HOUR else 30.0, 60.0)
        steady = ev.SteadyState(sim, lambda: 1.0, portion=hour, warm_up=hour)
        assert (steady.portion, steady._begin) == (60.0, 360.0)
    with pytest.raises(
        ev.ModelError, match=r"^run\(until=\.\.\.\) is in min, and got 1.0 m, which cannot be converted: "
    ):
        sim.run(until=ev.Quantity(1.0, unit="m"))


REFUSED = {
    "Step.at": lambda: ev.inputs.Step(at=HOUR),
    "Ramp.start": lambda: ev.inputs.Ramp(start=HOUR),
    "Ramp.end": lambda: ev.inputs.Ramp(end=HOUR),
    "Sine.frequency": lambda: ev.inputs.Sine(frequency=HOUR),
    "Chirp.low": lambda: ev.inputs.Chirp(HOUR, 2.0, 1.0),
    "Chirp.high": lambda: ev.inputs.Chirp(0.5, HOUR, 1.0),
    "Chirp.duration": lambda: ev.inputs.Chirp(0.5, 2.0, HOUR),
    "Chirp.start": lambda: ev.inputs.Chirp(0.5, 2.0, 1.0, start=HOUR),
    "Pulse.start": lambda: ev.inputs.Pulse(period=2.0, width=0.5, start=HOUR),
    "Pulse.width": lambda: ev.inputs.Pulse(period=2.0, width=HOUR),
    "HeldTable.times": lambda: ev.inputs.HeldTable((0.0, HOUR), (1.0, 2.0)),
    "LinearTable.times": lambda: ev.inputs.LinearTable.of(ev.inputs.Step(), (0.0, HOUR)),
    "breakpoints(...)": lambda: ev.inputs.common_grid(ev.inputs.Step(at=0.5), start=0.0, end=HOUR),
    "a window": lambda: ev.verify.within(HOUR, ev.verify.quantity() <= 3.0),
    "settles(time=...)": lambda: ev.verify.settles(0.0, 1.0, HOUR),
    "reaches_within(time=...)": lambda: ev.verify.reaches_within(0.0, 1.0, HOUR),
    "one_step(...)": lambda: ev.methods.one_step(ev.methods.ENGLAND, lambda t, x: -x, 0.0, 1.0, HOUR),
    "solve(...)": lambda: ev.methods.solve(ev.methods.ENGLAND, lambda t, x: -x, 0.0, 1.0, HOUR, 0.5),
    "a step": lambda: ev.methods.solution_method(ev.methods.ENGLAND, step=HOUR),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_time_with_a_unit_is_refused_where_no_time_unit_is_known(what):
    """The numbers of signals, of methods and of what is verified were taken, whatever the unit."""
    with pytest.raises(ev.ModelError) as info:
        REFUSED[what]()
    assert str(info.value) == f"{what} got 1.0 h: it takes a plain number, of the time unit of the simulation"


@ev.model(until=ev.Quantity(2.0, unit="h"), time_unit="h")
def filled(sim, *, inflow: float = 1.0):
    tank = Tank(sim, name="tank", level=0.0, inflow=inflow).start()
    sim.record(tank, every=0.5)
    return {"level": lambda: tank.level}


def test_times_of_studies_are_of_the_time_unit_of_the_model(monkeypatch):
    from eventide.declare import units

    units._registry.cache_clear()
    monkeypatch.setitem(sys.modules, "pint", None)
    assert (type(filled.until), filled.until, filled.time_unit) == (float, 2.0, "h")
    settings = ev.Study(filled, until=HOUR, at=[0.5, ev.Quantity(0.75, unit="h")]).settings
    assert (type(settings.until), settings.until, settings.at) == (float, 1.0, (0.5, 0.75))
    minute = ev.Quantity(1.0, unit="min")
    for act, what in (
        (lambda: ev.Study(filled, until=minute), "a study: until="),
        (lambda: ev.Study(filled, at=[minute]), "at="),
        (lambda: ev.sensitivity(filled, at=[minute]), "at="),
        (lambda: ev.sensitivity(filled, until=minute), "the sensitivity of filled: until="),
        (lambda: ev.Progress(ev.Simulation(time_unit="h"), until=minute), "Progress(until=...)"),
    ):
        with pytest.raises(ev.ModelError) as info:
            act()
        assert (
            str(info.value) == f"{what} is in h, and got 1.0 min: give it in h; or install pint, which converts units"
        )
    with pytest.raises(ev.ModelError, match=r"^time_limit= is in s, and got 1.0 min: "):
        ev.Study(filled, time_limit=minute)


@pytest.mark.slow
def test_times_at_which_something_is_read_are_converted():
    """What a recording, runs, a prediction or a sensitivity is asked for: one time, several, or an array of pint."""
    pint, pd = pytest.importorskip("pint"), pytest.importorskip("pandas")
    norm = pytest.importorskip("scipy.stats").norm
    minutes = [ev.Quantity(30.0, unit="min"), 1.5]
    run = filled.run(entropy=1)
    (trace,) = run.recordings
    assert trace.at(minutes).index.tolist() == [0.5, 1.5]
    assert trace.at(pint.UnitRegistry().Quantity([30.0, 90.0], "min")).index.tolist() == [0.5, 1.5]
    assert trace.at(minutes[0]).name == 0.5
    assert filled.replicate(1, entropy=1).at(minutes).index.tolist() == [(0, 0.5), (0, 1.5)]
    told = ev.predict(filled, {"inflow": norm(1.0, 0.1)}, runs=2, at=minutes, workers=1)
    assert told.runs.states().index.tolist() == [
        (0, 0.5), (0, 1.5), (1, 0.5), (1, 1.5),
    ]  # fmt: skip
    entries = ev.sensitivity(filled, at=minutes).entries
    assert [one.time for one in entries if one.output == "tank.level"] == [0.5, 1.5]
    assert ev.linearize(filled, time=minutes[0]).point[0] == pytest.approx(0.0005)
    data = pd.DataFrame({"tank.level": [0.001, 0.002]}, index=pd.Index([1.0, 2.0], name="time"))
    found = ev.calibrate(filled, data, {"inflow": (0.5, 1.5)}, workers=1)
    assert found.curves(minutes).index.tolist() == [0.5, 1.5]
