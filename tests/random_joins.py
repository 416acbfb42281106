"""Random models of processes that make others, and wait for their ends and for what they return."""

from __future__ import annotations

import random_spawning
from random_spawning import Kid, Making

RETURNED = (
    ("x * 0.5", "abs(x) % 2.0", "sim.time * 0.125", "y + 0.25"),
    ("n", "n + 1", "None", "len(word) - n"),
    ("n", "x", "b", "None", "(n, x)", "'word'", "n if b else x", "x if b else None", "[n]"),
)
"""What each of the functions may return whose processes others make."""


CHOSEN = (
    "rng.choices(STEPS, COUNTS)[0]",
    "rng.choices(FLOATS, weights=STEPS)[0]",
    "rng.choices([0.5, 1, 0.25])[0]",
    "rng.choices([1, 2])[0]",
    "rng.choices((0.5, 1.5, -0.25), [5, 3, 1])[0]",
)
"""How long they hold that choose that with weights."""


class Joining(Making):
    """Writes one generator function whose processes wait for others."""

    def statement(self) -> list[str]:
        if self.chance.random() < 0.2:
            lines = self.joined(next(self.counts))
            return [f"if {self.guard}:", *(f"    {line}" for line in lines)] if self.guard else lines
        return super().statement()

    def hold(self) -> str:
        if self.chance.random() < 0.15 and not self.guard.startswith("n"):
            return "; ".join(self.joined(next(self.counts), is_short=True))
        if self.chance.random() < 0.15:
            return f"yield ev.hold({self.one(*CHOSEN)})"
        return super().hold()

    def real(self) -> str:
        if self.chance.random() < 0.8:
            return super().real()
        one, other, n = (
            self.chance.choice(self.floats),
            self.chance.choice(self.floats),
            self.chance.choice(self.wholes),
        )
        return self.one(
            f"min([{one}, {other}])",
            f"max([{one}, {other}, rng.random()])",
            f"sum([{one}, {other}, 0.25])",
            f"sum(({one}, {one}))",
            f"0.5 * sum([{n}, 2])",
            f"0.5 * max(({n}, 3, {n}))",
            f"min([{n}, {one}])",
        )

    def used(self, name: str) -> str:
        """What is done with what a process has returned."""
        return self.one(
            f"log.append(({self.name!r}, sim.time, {name}))",
            f"seen.append({name})",
            f"x = 0.5 if {name} is None else 0.75",
            f"x = 0.5 if {name} else 1.25",
            f"y = {name} * 0.5",
            "pass",
        )

    def joined(self, number: int, *, is_short: bool = False) -> list[str]:
        """Statements that make processes, and wait for them."""
        one, other, got = f"one{number % 3}", f"other{number % 2}", f"got{number % 4}"
        first, second = f"sim.process({self.call()})", f"sim.process({self.call()})"
        made, pause, use = f"{one} = {first}", self.one("yield ev.hold(0.5)", super().hold(), "pass"), self.used(got)
        ways = [
            [f"{got} = yield {first}", use],
            [made, f"{other} = {second}", f"yield {one}", f"yield {other}"],
            [made, pause, f"{got} = yield {one}", use],
            [made, f"{other} = {second}", pause, f"yield {other}", f"{got} = yield {one}", use],
            [made, f"yield {one}", f"{got} = yield {one}", use],
            [f"yield {first}"],
        ]
        if is_short:
            return self.chance.choice(ways)
        ways += [
            ["try:", f"    {made}", f"    {got} = yield {one}", "except ev.Interrupt as cut:", "    x = cut.left"],
            ["try:", f"    yield {first}", "except ev.Interrupt:", "    y = 0.25"],
            [made, "try:", f"    {got} = yield {one}", f"    {use}", "except ev.Interrupt as cut:", f"    yield {one}"],
            [f"if {self.test()}:", f"    {made}", "else:", f"    {one} = {second}", f"{got} = yield {one}", use],
            [f"for turn{number} in range(2):", f"    {made}", f"    {pause}", f"    yield {one}"],
            [f"if {self.test()}:", f"    {made}", pause, f"if {self.test()}:", f"    yield {one}"],
        ]
        return self.chance.choice(ways)


class Returning(Joining, Kid):
    """Writes one of the functions whose processes others make."""

    depth_of = "n - 1"
    guard = "n > 0"

    def text(self) -> str:
        plain = Kid.text(self)
        returned, c = RETURNED[int(self.name[3:])], self.chance
        if c.random() < 0.3:
            plain += f"    if {self.test()}:\n        return {c.choice(returned)}\n"
        return plain + (f"    return {c.choice(returned)}\n" if c.random() < 0.8 else "")


def program(seed: int, acts: int, looks: int, glances: int) -> str:
    """The text of a model, of which `random_spawning.outcome` tells all that can be seen."""
    return random_spawning.program(seed, acts, looks, glances, (Joining, Returning))
