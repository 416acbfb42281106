"""What can be recorded: columns of components, variables, queues, resources and named expressions."""

import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0, unit="m", description="of the water")
    double: ev.Computed = ev.computed(unit="m")
    inflow: ev.Summed = ev.summed(unit="m/s")

    def equations(self):
        self.double = 2.0 * self.level
        self.rate.level = 0.5


@pytest.fixture
def sim():
    return ev.Simulation()


def heads(recording):
    return [(c.name, c.unit, c.is_discrete, c.description) for c in recording.columns]


def at(sim, time, action):
    def story():
        yield ev.hold(time)
        action()

    sim.process(story())


def test_a_component_gives_its_states_computed_values_and_sums_as_they_are_declared(sim):
    trace = sim.record(Tank(sim, name="tank").start(), every=1.0)
    sim.run(until=1.0)

    assert heads(trace) == [
        ("tank.level", "m", False, "of the water"),
        ("tank.double", "m", False, ""),
        ("tank.inflow", "m/s", False, ""),
    ]
    assert trace["tank.level"].tolist() == [1.0, 1.5]
    assert trace["tank.double"].tolist() == [2.0, 3.0]


def test_single_variables_of_any_kind_are_recorded_alone(sim):
    tank = Tank(sim, name="tank").start()
    loose = ev.Variable(sim, 7.0, name="loose", unit="K")
    trace = sim.record(tank["double"], loose, tank["level"], every=1.0)
    sim.run(until=1.0)

    assert heads(trace) == [
        ("tank.double", "m", False, ""),
        ("loose", "K", False, ""),
        ("tank.level", "m", False, "of the water"),
    ]
    assert (trace["tank.double"].tolist(), trace["loose"].tolist()) == ([2.0, 3.0], [7.0, 7.0])


def test_the_length_of_a_queue_is_recorded_on_both_sides_of_each_change(sim):
    row = ev.Queue(sim, name="row")
    at(sim, 1.0, lambda: row.into("a"))
    at(sim, 1.0, lambda: row.into("b"))
    at(sim, 3.0, lambda: row.out("a"))
    trace = sim.record(row, every="event")
    sim.run(until=4.0)

    assert heads(trace) == [("row.length", "", True, "how many members it has")]
    assert trace.times.tolist() == [0.0, 1.0, 1.0, 3.0, 3.0, 4.0]
    assert trace["row.length"].tolist() == [0.0, 0.0, 2.0, 2.0, 1.0, 1.0]


def test_a_resource_gives_units_in_use_and_requests_that_wait_and_its_utilisation_by_name(sim):
    desk = ev.Resource(sim, 1, name="desk")

    def customer():
        yield from desk.use(1.0)

    for _ in range(2):
        sim.process(customer())
    trace = sim.record(desk, every=1.0, events=False, utilisation=lambda: desk.utilisation)
    sim.run(until=4.0)

    assert [column.name for column in trace.columns] == ["desk.in_use", "desk.queue", "utilisation"]
    assert trace["desk.in_use"].tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert trace["desk.queue"].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert trace["utilisation"][1:].tolist() == [1.0, 1.0, 2.0 / 3.0, 0.5]


def test_containers_and_stores_give_their_level_and_both_lines(sim):
    tank, shelf = ev.Container(sim, 10.0, initial=4.0, name="tank"), ev.Store(sim, items=["a", "b"], name="shelf")

    def driver():
        yield tank.get(3.0)
        yield tank.get(5.0)

    sim.process(driver())
    trace = sim.record(tank, shelf, every="event")
    sim.run(until=1.0)

    assert [column.name for column in trace.columns] == [
        *(f"tank.{what}" for what in ("level", "puts", "gets")),
        *(f"shelf.{what}" for what in ("level", "puts", "gets")),
    ]
    assert [trace[f"tank.{what}"][-1] for what in ("level", "puts", "gets")] == [1.0, 0.0, 1.0]
    assert trace["shelf.level"][-1] == 2.0


def test_a_level_of_the_model_is_recorded_under_its_name(sim):
    stock = sim.level("stock", unit="kg", initial=3.0)
    at(sim, 1.0, lambda: stock.change(2.0))
    trace = sim.record(stock, every="event")
    sim.run(until=2.0)

    assert heads(trace) == [("stock", "kg", True, "")]
    assert trace["stock"].tolist() == [3.0, 3.0, 5.0, 5.0]


def test_expressions_have_names_units_and_meanings(sim):
    tank = Tank(sim, name="tank").start()
    trace = sim.record(
        {"height of the water": lambda: 100.0 * tank.level, "half full?": lambda: tank.level > 1.2},
        energy=ev.Expression(lambda: tank.level**2, unit="J", description="for tests"),
        count=ev.Expression(lambda: 3, is_discrete=True),
        water=tank["level"],
        every=1.0,
    )
    sim.run(until=1.0)

    assert heads(trace) == [
        ("height of the water", "", False, ""),
        ("half full?", "", False, ""),
        ("energy", "J", False, "for tests"),
        ("count", "", True, ""),
        ("water", "m", False, "of the water"),
    ]
    assert [trace[column.name].tolist() for column in trace.columns] == [
        [100.0, 150.0],
        [0.0, 1.0],
        [1.0, 2.25],
        [3.0, 3.0],
        [1.0, 1.5],
    ]


def test_a_name_given_to_something_of_several_columns_stands_before_each(sim):
    trace = sim.record(counter=ev.Resource(sim, name="desk"))

    assert [column.name for column in trace.columns] == ["counter.in_use", "counter.queue"]


@pytest.mark.parametrize("value", [None, "3.0", b"3.0", [1.0], 1j, 10**400], ids=lambda value: type(value).__name__)
def test_an_expression_that_gives_no_number_is_named_and_leaves_no_half_row(sim, value):
    trace = sim.record(first=lambda: 1.0, second=lambda: 1.0 if sim.time < 1.5 else value, every=1.0)

    with pytest.raises(ev.ModelError, match=r"second is recorded as a number, and its expression gave"):
        sim.run(until=3.0)

    assert (len(trace), trace["first"].tolist(), trace["second"].tolist()) == (2, [1.0, 1.0], [1.0, 1.0])


def test_an_error_of_an_expression_goes_up_as_it_is_with_a_note(sim):
    error = ZeroDivisionError("of mine")

    def fails():
        raise error

    sim.record(ratio=fails, every=1.0)

    with pytest.raises(ZeroDivisionError) as caught:
        sim.run(until=1.0)
    assert caught.value is error
    assert "raised by the recorded expression ratio" in error.__notes__


@pytest.mark.parametrize(
    ("give", "complaint"),
    [
        (
            lambda sim: sim.record(height=3.0),
            r"sim.record\(height=...\) takes a function without arguments, and got 3.0",
        ),
        (lambda sim: sim.record({"a": "b"}), r"sim.record\(a=...\) takes a function without arguments, and got 'b'"),
        (lambda sim: ev.Expression(3.0), r"an Expression takes a function without arguments, and got 3.0"),
        (lambda sim: sim.record(object()), r"there is nothing to record of <object .*>: give a component with states"),
        (lambda sim: sim.record({"a": lambda: 0.0}, a=lambda: 1.0), r"two recorded columns are called a"),
        (lambda sim: sim.record(), r"sim.record needs something to record"),
    ],
)
def test_what_cannot_be_recorded_is_refused(sim, give, complaint):
    with pytest.raises(ev.ModelError, match=complaint):
        give(sim)
    assert sim.recordings == []
