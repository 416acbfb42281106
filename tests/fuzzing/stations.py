"""Resources, containers and stores of the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fuzzing.exceptions import Skip
from fuzzing.reference import Notice, World

if TYPE_CHECKING:
    from fuzzing.stories import Activity


class Wish:
    """A request of a unit."""

    def __init__(self, desk: Desk, priority: float, *, preempts: bool = False) -> None:
        self.desk = desk
        self.priority = priority
        self.preempts = preempts
        self.number = 0
        self.state = "new"
        self.who: Activity | None = None
        self.notice: Notice | None = None
        self.left: float | None = None
        """Of the hold that stands still without its unit."""

    def stop_hold(self) -> None:
        """The hold of whoever has lost the unit stands still; other waits go on."""
        story = self._story()
        if story.notice is None:
            return
        if story.due <= story.world.time:
            raise Skip("a hold ends as its unit goes")
        self.left = story.due - story.world.time
        story.cancel()
        story.withdraw = lambda: setattr(self, "left", None)

    def continue_hold(self) -> None:
        """The unit is there again."""
        left, self.left = self.left, None
        if left is not None:
            story = self._story()
            story.world.do_hold(story, left)

    def _story(self) -> Any:
        return self.who.group.owner if hasattr(self.who, "group") else self.who  # a branch of a wait for several things

    def give_back(self) -> None:
        """Leave the line, or give the unit back."""
        before, self.state = self.state, "over"
        if before == "waiting":
            self.desk.line.remove(self)
        elif before == "suspended":
            self.desk.suspended.remove(self)
        elif before == "granted":
            if self.notice is not None:
                self.notice.live = False
            self.desk.take_back(self)
        if before in {"waiting", "suspended", "granted"}:
            self.desk.serve()


class Desk:
    """A resource."""

    def __init__(self, world: World, units: int) -> None:
        self.world = world
        self.units = units
        self.held = 0
        self.line: list[Wish] = []
        self.users: list[Wish] = []
        self.suspended: list[Wish] = []

    def stock(self) -> float:
        """Units that are free."""
        return float(max(self.units - self.held, 0))

    def take_back(self, wish: Wish) -> None:
        """Somebody has his unit no longer."""
        self.users.remove(wish)
        self.held -= 1

    def staff(self, units: int, excess: str) -> None:
        """Change the number of units; those in use beyond it are taken away, or their work is done or stands still."""
        self.units = units
        for user in self._losers() if excess != "finish" else []:
            if self.held > units:
                self._suspend(user) if excess == "suspend" else self._take_away(user)
        self.serve()

    def _losers(self) -> list[Wish]:
        """Who has units, of lowest priority and latest first."""
        return sorted(reversed(self.users), key=lambda user: user.priority)  # noqa: C414  # a stable sort

    def _give(self, wish: Wish) -> None:
        wish.state = "granted"
        self.held += 1
        self.users.append(wish)

    def _suspend(self, user: Wish) -> None:
        if user.notice is not None:
            raise Skip("a unit goes before whoever got it knows")
        self.take_back(user)
        user.state = "suspended"
        self.suspended.append(user)
        user.stop_hold()

    def _resume(self) -> None:
        """Those whose work stands still come first, the last of them before the others."""
        while self.suspended and self.held < self.units:
            user = self.suspended.pop()
            self._give(user)
            user.continue_hold()

    def _take_away(self, victim: Wish) -> None:
        raise NotImplementedError

    def move_first(self, other: Desk) -> None:
        """Whoever is first in line stands in another, as the last of his priority."""
        if self.line:
            wish = self.line.pop(0)
            wish.desk = other
            other.stand(wish)
            other.serve()
            self.serve()

    def stand(self, wish: Wish) -> None:
        """Behind all that are not of lower priority."""
        wish.state = "waiting"
        place = sum(one.priority >= wish.priority for one in self.line)
        self.line.insert(place, wish)

    def ask(self, who: Activity, wish: Wish) -> tuple[Any] | None:
        """Grant at once, or let him stand in line."""
        if self.held < self.units and not self.line and not self.suspended:
            self._give(wish)
            return (None,)
        self.stand(wish)
        who.withdraw = wish.give_back
        return None

    def serve(self) -> None:
        """Grant what is free, at the end of this instant."""
        self._resume()
        while self.line and self.held < self.units:
            wish = self.line.pop(0)
            self._give(wish)
            wish.notice = self.world.schedule(self.world.time, lambda wish=wish: self._come(wish))

    def _come(self, wish: Wish) -> None:
        wish.notice = None
        assert wish.who is not None
        wish.who.go_on(None)


class Bench(Desk):
    """A resource whose units are taken from users of lower priority; of these from who was served last."""

    def __init__(self, world: World, units: int) -> None:
        super().__init__(world, units)
        self.asked = 0

    def ask(self, who: Activity, wish: Wish) -> tuple[Any] | None:
        """Grant at once, or let him stand in line, where he stood before if he comes again."""
        if not wish.number:
            self.asked += 1
            wish.number = self.asked
        if self.held < self.units and not self.line and not self.suspended:
            self._give(wish)
            return (None,)
        self._stand(wish)
        if self.line[0] is wish and self._has_room(wish):
            self.line.remove(wish)
            self._give(wish)
            self.serve()
            return (None,)
        who.withdraw = wish.give_back
        return None

    def serve(self) -> None:
        """Grant what is free, or can be taken away."""
        self._resume()
        while self.line and self._has_room(self.line[0]):
            wish = self.line.pop(0)
            self._give(wish)
            wish.notice = self.world.schedule(self.world.time, lambda wish=wish: self._come(wish))

    def _stand(self, wish: Wish) -> None:
        wish.state = "waiting"
        self.line = sorted([*self.line, wish], key=lambda one: (-one.priority, one.number))

    def _has_room(self, wish: Wish) -> bool:
        if self.held < self.units:
            return not self.suspended
        missing = self.held + 1 - self.units
        victims = [user for user in self._losers() if user.priority < wish.priority][:missing]
        if not wish.preempts or len(victims) < missing:
            return False
        for victim in victims:
            self._take_away(victim)
        return True

    def _take_away(self, victim: Wish) -> None:
        self.take_back(victim)
        if victim.notice is not None:  # he does not know yet that he has been served
            victim.notice.live, victim.notice = False, None
            self._stand(victim)
        else:
            victim.state = "lost"
            self.world.schedule_front(lambda: victim.who.lose(victim))  # type: ignore[union-attr]  # he waits


class Tank:
    """A container, or a store of things: `level` is a number, or a list."""

    def __init__(self, world: World, level: Any) -> None:
        self.world = world
        self.level = level
        self.line: list[tuple[Activity, Any]] = []

    def stock(self) -> float:
        """What is in it."""
        return float(len(self.level) if isinstance(self.level, list) else self.level)

    def can(self, amount: Any) -> bool:
        return bool(self.level) if isinstance(self.level, list) else self.level >= amount

    def take(self, amount: Any) -> Any:
        if isinstance(self.level, list):
            return self.level.pop(0)
        self.level -= amount
        return amount

    def serve(self) -> None:
        """Those who wait, in the order of their coming."""
        while self.line and self.can(self.line[0][1]):
            self._grant(*self.line.pop(0))

    def _grant(self, who: Activity, amount: Any) -> None:
        """Let somebody have what he waits for, at the end of this instant, unless he is interrupted before."""
        taken = self.take(amount)
        notice = self.world.schedule(self.world.time, lambda: who.go_on(taken))

        def undo() -> None:
            notice.live = False
            if isinstance(self.level, list):
                self.level.insert(0, taken)
            else:
                self.level += taken
            self.serve()

        who.withdraw = undo
