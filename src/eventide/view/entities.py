"""Entities on their way through queues and resources, and tanks that fill, as a page that moves.

In: the stays that an `Occupancy` has recorded, a layout, and recorded levels. Out: a page of its own without anything
from elsewhere: data as JSON, and a script that draws the state at a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.errors import ModelError
from eventide.observe import Occupancy, Recording, whole_file
from eventide.view.palette import DARK, LIGHT

if TYPE_CHECKING:
    from eventide.discrete import Queue, Resource

MOST_POINTS: Final = 2000
"""The most points of a level that are kept: more than a page has columns."""


class EntityPage:
    """A page that moves: shown by a notebook, written to a file by `save`."""

    def __init__(self, html: str, height: int) -> None:
        self.html = html
        self.height = height

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, which any browser opens."""
        with whole_file(path) as unfinished:
            unfinished.write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        look = f'width="100%" height="{self.height + 60}" style="border:0"'
        return f'<iframe srcdoc="{escape(self.html)}" {look}></iframe>'


def animate_entities(
    stays: Occupancy,
    layout: Mapping[str, tuple[float, float]],
    *,
    levels: Recording | None = None,
    title: str = "",
    seconds: float = 20.0,
    height: int = 420,
) -> EntityPage:
    """A page on which entities wait and are served, and tanks fill.

    `animate_entities(stays, {"desk": (30, 50), "tank.level": (75, 50)}, levels=trace).save("plant.html")`
    stays       what an `Occupancy` has recorded
    layout      where each of its places stands, and columns of `levels` that are drawn as tanks: in hundredths of the
                width and of the height, from the upper left
    seconds     how long the whole run takes on the page
    height      of the picture, in pixels
    Raises      ModelError for a name that is neither, for a place without a position, and for positions that are none
    """
    places = {place.name: place for place in stays.places}
    columns = {} if levels is None else {column.name: column for column in levels.columns}
    _check(layout, places, columns)
    end = max([stays.sim.time, *(stay.end for stay in stays.stays if stay.end == stay.end)])
    numbers = {name: number for number, name in enumerate(places)}
    data = {
        "places": [_place(place, layout[name]) for name, place in places.items()],
        "stays": [
            [
                stay.who,
                numbers[stay.where],
                stay.state == "holds",
                stay.start,
                None if stay.end != stay.end else stay.end,
            ]
            for stay in stays.stays
        ],
        "tanks": [_tank(levels, name, layout[name]) for name in layout if name in columns and levels is not None],
        "end": end,
        "unit": stays.sim.time_unit,
        "seconds": seconds,
        "height": height,
    }
    text = json.dumps(data, allow_nan=False).replace("</", "<\\/")
    page = _PAGE.replace("@TITLE", escape(title or "entities")).replace("@HEAD", escape(title)).replace("@DATA", text)
    for tones, mark in ((LIGHT, "@LIGHT"), (DARK, "@DARK")):
        colours = "".join(f"--c{number}:{colour};" for number, colour in enumerate(tones.colours))
        page = page.replace(mark, f"--ground:{tones.ground};--ink:{tones.ink};--frame:{tones.frame};{colours}")
    return EntityPage(page, height)


def _check(layout: Mapping[str, object], places: Mapping[str, object], columns: Mapping[str, object]) -> None:
    missing = [name for name in places if name not in layout]
    unknown = [name for name in layout if name not in places and name not in columns]
    if missing:
        raise ModelError(f"the layout gives no position for {', '.join(missing)}: write {{{missing[0]!r}: (30, 50)}}")
    if unknown:
        known = ", ".join([*places, *columns])
        raise ModelError(
            f"the layout has {', '.join(map(repr, unknown))}, which is neither a place nor a level: {known}"
        )
    for name, position in layout.items():
        if not (isinstance(position, tuple | list) and len(position) == 2 and all(0 <= p <= 100 for p in position)):
            raise ModelError(f"the position of {name} is two numbers from 0 to 100, and got {position!r}")


def _place(place: Resource | Queue[object], position: tuple[float, float]) -> dict[str, object]:
    return {"name": place.name, "x": position[0], "y": position[1], "capacity": getattr(place, "capacity", 0)}


def _tank(levels: Recording, name: str, position: tuple[float, float]) -> dict[str, object]:
    times, values = levels.times, levels[name]
    chosen = np.unique(np.linspace(0, len(times) - 1, min(len(times), MOST_POINTS)).astype(int))
    shown = values[chosen][np.isfinite(values[chosen])]
    low, high = (min(0.0, float(shown.min())), float(shown.max())) if len(shown) else (0.0, 1.0)
    unit = next(column.unit for column in levels.columns if column.name == name)
    look = {"name": name, "unit": unit, "x": position[0], "y": position[1], "low": low, "high": max(high, low + 1e-9)}
    return {**look, "times": times[chosen].tolist(), "values": np.nan_to_num(values[chosen]).tolist()}


_PAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>@TITLE</title><style>
:root{@LIGHT}@media(prefers-color-scheme:dark){:root{@DARK}}
body{margin:8px;font:14px sans-serif;background:var(--ground);color:var(--ink)}
svg{width:100%;border:1px solid var(--frame);border-radius:4px}text{fill:var(--ink);font-size:13px}
.box{fill:none;stroke:var(--frame)}.level{fill:var(--c0);opacity:.7}
input[type=range]{width:50%;vertical-align:middle}button{min-width:5em}</style>
<b>@HEAD</b><div><button id="play">pause</button>
<input id="at" type="range" min="0" max="1000" value="0" aria-label="time">
<span id="time"></span></div><svg id="picture" role="img" aria-label="@TITLE"></svg><script>
const data=@DATA,picture=document.getElementById("picture"),slider=document.getElementById("at");
const who=[...new Set(data.stays.map(s=>s[0]))],colour=n=>"var(--c"+who.indexOf(n)%6+")";
const text=t=>t.replace(/[&<>"]/g,c=>"&#"+c.charCodeAt(0)+";");
let now=0,plays=true,last=null;
function level(tank){let low=0,high=tank.times.length-1;
 while(low<high){const middle=(low+high+1)>>1;if(tank.times[middle]<=now)low=middle;else high=middle-1}
 return tank.values[low]}
function draw(){const width=picture.clientWidth||800,height=data.height,out=[];
 picture.setAttribute("viewBox","0 0 "+width+" "+height);picture.setAttribute("height",height);
 data.places.forEach((place,number)=>{const x=place.x/100*width,y=place.y/100*height;
  const here=data.stays.filter(s=>s[1]==number&&s[3]<=now&&(s[4]===null||now<s[4]));
  const waiting=here.filter(s=>!s[2]),holding=here.filter(s=>s[2]),units=Math.min(place.capacity||0,20);
  out.push(`<text x="${x}" y="${y-22}" text-anchor="middle">${text(place.name)}: ${holding.length}`+
   (place.capacity?` of ${place.capacity}`:"")+(waiting.length?`, ${waiting.length} wait`:"")+"</text>");
  for(let k=0;k<units;k++)out.push(`<rect class="box" x="${x-9+k*22}" y="${y-11}" width="20" height="22" rx="3"/>`);
  const dot=(s,cx,cy)=>out.push(`<circle cx="${cx}" cy="${cy}" r="7" fill="${colour(s[0])}">`+
   `<title>${text(s[0])}</title></circle>`);
  holding.slice(0,20).forEach((s,k)=>dot(s,x+1+k*22,y));
  waiting.slice(0,60).forEach((s,k)=>dot(s,x-26-(k%12)*17,y+Math.floor(k/12)*17))});
 data.tanks.forEach(tank=>{const x=tank.x/100*width,y=tank.y/100*height,value=level(tank);
  const share=Math.max(0,Math.min(1,(value-tank.low)/(tank.high-tank.low)));
  out.push(`<rect class="level" x="${x-30}" y="${y+50-100*share}" width="60" height="${100*share}"/>`,
   `<rect class="box" x="${x-30}" y="${y-50}" width="60" height="100"/>`,
   `<text x="${x}" y="${y-58}" text-anchor="middle">`+
    `${text(tank.name)} ${value.toPrecision(4)} ${text(tank.unit)}</text>`)});
 picture.innerHTML=out.join("");slider.value=1000*now/(data.end||1);
 document.getElementById("time").textContent="time "+now.toPrecision(4)+" "+data.unit}
function step(stamp){if(plays&&last!==null){now+=(stamp-last)/1000*data.end/data.seconds;if(now>data.end)now=0;draw()}
 last=stamp;requestAnimationFrame(step)}
document.getElementById("play").onclick=event=>{plays=!plays;event.target.textContent=plays?"pause":"play"};
slider.oninput=()=>{now=slider.value/1000*data.end;draw()};draw();requestAnimationFrame(step)</script></html>
"""
