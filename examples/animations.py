"""Systems that move: a ball that bounces, a quarter car on its road, a soaking pit as a plant.

Covers:   scenes that a recording moves, as a GIF and as a page with a slider.
Usage:    python examples/animations.py animations   # writes three GIFs and three pages
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from bouncing_ball import bouncing_ball
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from quarter_car import quarter_car
from soaking_pit import DRAW_AT, soaking_pit

import eventide as ev
from eventide import view

LARGER = 4.0  # displacements of the car are drawn so much larger than they are
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"


def ball_scene(figure: Figure) -> Callable[[view.Moment], None]:
    """A ball over its floor, with the last second of its way."""
    axes = figure.subplots()
    axes.set(xlim=(-4.0, 4.0), ylim=(-0.5, 11.0), aspect="equal", ylabel="height [m]", xticks=[])
    axes.axhspan(-0.5, 0.0, color="0.75")
    ball = axes.add_patch(Circle((0.0, 10.0), 0.35, color=BLUE, zorder=3))
    clock = axes.set_title("")

    def move(moment: view.Moment) -> None:
        # The floor stops the lowest point of the ball.
        ball.center = (0.0, moment["ball.height"] + 0.35)
        clock.set_text(f"t = {moment.time:5.2f} s")

    return move


def car_scene(road: ev.Recording, speed: float) -> view.Scene:
    """Body, strut, wheel and road; the road runs under the car."""

    def scene(figure: Figure) -> Callable[[view.Moment], None]:
        axes = figure.subplots()
        axes.set(xlim=(-3.0, 3.0), ylim=(-0.6, 2.1), aspect="equal", yticks=[], xlabel="distance from the wheel [m]")
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        distance = np.linspace(-3.0, 3.0, 400)
        (ground,) = axes.plot(distance, 0.0 * distance, color="0.35", linewidth=2.0)
        wheel = axes.add_patch(Circle((0.0, 0.0), 0.3, facecolor="white", edgecolor="0.2", linewidth=5.0, zorder=3))
        body = axes.add_patch(Rectangle((-1.2, 0.0), 2.4, 0.45, color=BLUE, zorder=3))
        (spoke,) = axes.plot([], [], color="0.7", linewidth=1.5, zorder=4)
        (spring,) = axes.plot([], [], color=ORANGE, linewidth=1.8, zorder=5)
        (rod,) = axes.plot([], [], color="0.35", linewidth=2.5, zorder=5)
        clock = axes.set_title("")

        def move(moment: view.Moment) -> None:
            times = np.maximum(moment.time + distance / speed, 0.0)
            heights = road.at(np.minimum(times, road.times[-1]))["road.height"].to_numpy()
            ground.set_ydata(LARGER * heights)
            hub = LARGER * moment["car.wheel"] + 0.34
            floor = 1.0 + LARGER * moment["car.body"]
            wheel.center = (0.0, hub)
            turn = -moment.time * speed / 0.34
            across, up = 0.26 * np.cos(turn), 0.26 * np.sin(turn)
            spoke.set_data([-across, across], [hub - up, hub + up])
            body.set_y(floor)
            spring.set_data(*view.zigzag((-0.12, hub), (-0.12, floor), width=0.16))
            rod.set_data([0.14, 0.14], [hub, floor])
            clock.set_text(f"t = {moment.time:4.2f} s, displacements {LARGER:g} times as large")

        return move

    return scene


def plant_scene(run: ev.Run[dict[str, object]]) -> view.Scene:
    """The pit with its places, the ingots in them by their heat, the bank beside it, the furnace as a thermometer."""

    def scene(figure: Figure) -> Callable[[view.Moment], None]:
        pits = int(run.parameters["pits"])
        heat = heat_colours()
        axes, scale = figure.subplots(1, 2, width_ratios=(5, 1))
        axes.set(xlim=(-0.2, 7.4), ylim=(-0.4, 2.9), aspect="equal", xticks=[], yticks=[])
        axes.grid(visible=False)
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        places = [Rectangle((n % 5, n // 5 * 1.2), 0.8, 1.0, edgecolor="0.3", zorder=2) for n in range(pits)]
        for place in places:
            axes.add_patch(place)
        bank = [Rectangle((5.6 + n % 4 * 0.42, n // 4 * 0.42), 0.34, 0.34, color="0.45") for n in range(24)]
        for ingot in bank:
            axes.add_patch(ingot)
        axes.text(0.0, 2.5, "pit", fontsize=11)
        axes.text(5.6, 2.5, "bank", fontsize=11)
        bar = scale.bar([0.0], [0.0], width=0.6, color=ORANGE)[0]
        scale.axhline(DRAW_AT, color="0.3", linestyle="--", linewidth=0.9)
        scale.set(ylim=(0.0, 2600.0), xlim=(-0.6, 0.6), xticks=[], ylabel="furnace [degF]")
        clock = figure.suptitle("")
        stands: dict[str, int] = {}

        def move(moment: view.Moment) -> None:
            ingots = moment.components("ingots")
            for name in [name for name in stands if name not in ingots]:
                del stands[name]
            for name in ingots:
                if name not in stands:
                    stands[name] = min(set(range(pits)) - set(stands.values()))
            for place in places:
                place.set_facecolor("0.93")
            for name, number in stands.items():
                places[number].set_facecolor(heat(ingots[name]["temperature"] / 2300.0))
            for number, ingot in enumerate(bank):
                ingot.set_visible(number < moment["pits.queue"])
            bar.set_height(moment["furnace.temperature"])
            clock.set_text(f"t = {moment.time:6.1f} h")

        return move

    return scene


def heat_colours() -> Callable[[float], object]:
    """From cold steel to glowing."""
    from matplotlib import colormaps

    return colormaps["inferno"]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ball = bouncing_ball(restitution=0.8).run(until=9.0)
    car = quarter_car.run()
    plant = soaking_pit(hours=100.0).run(entropy=2)
    ride, speed = car.recordings[0], float(car.parameters["speed"])
    for ending in ("gif", "html"):
        view.animate(ball.recordings, ball_scene, folder / f"ball.{ending}", width=3.6, height=5.0)
        view.animate(
            car.recordings,
            car_scene(ride, speed),
            folder / f"car.{ending}",
            speed=0.4,
            height=3.4,
            end=4.0,
        )
        view.animate(
            plant.recordings,
            plant_scene(plant),
            folder / f"plant.{ending}",
            speed=5.0,
            frames_per_second=10,
            height=3.6,
        )
    print(f"three systems in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "animations"))
