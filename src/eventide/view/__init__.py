"""Figures, moving pictures and pages; the only room that knows the plotting library.

May import: verify, analysis, experiment, observe, monitor, continuous, discrete, statistics, declare, errors. Start
reading at `pictures.py`; what is shown while a run goes on begins at `screens.py`.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from eventide.libraries import EXTRA_OF, refuse

if TYPE_CHECKING:
    from eventide.view.animation import Moment as Moment
    from eventide.view.animation import animate as animate
    from eventide.view.animation import zigzag as zigzag
    from eventide.view.canvas import new_figure as new_figure
    from eventide.view.canvas import save as save
    from eventide.view.canvas import shown_figure as shown_figure
    from eventide.view.charts import mark_events as mark_events
    from eventide.view.charts import plot_gantt as plot_gantt
    from eventide.view.class_diagrams import class_diagram as class_diagram
    from eventide.view.entities import EntityPage as EntityPage
    from eventide.view.entities import animate_entities as animate_entities
    from eventide.view.influence import plot_bands as plot_bands
    from eventide.view.influence import plot_influence as plot_influence
    from eventide.view.panels import curves_as_html as curves_as_html
    from eventide.view.pictures import plot_recording as plot_recording
    from eventide.view.pictures import plot_recordings as plot_recordings
    from eventide.view.regions import plot_stability as plot_stability
    from eventide.view.screens import screen_for as screen_for
    from eventide.view.searches import plot_fit as plot_fit
    from eventide.view.searches import plot_search as plot_search
    from eventide.view.sensitivities import plot_sensitivity as plot_sensitivity
    from eventide.view.spaces import plot_cloud as plot_cloud
    from eventide.view.spaces import plot_phase as plot_phase
    from eventide.view.spaces import plot_series as plot_series
    from eventide.view.spaces import plot_trajectory as plot_trajectory
    from eventide.view.spreads import plot_boxes as plot_boxes
    from eventide.view.spreads import plot_histogram as plot_histogram
    from eventide.view.studies import plot_study as plot_study
    from eventide.view.study_page import write_study_page as write_study_page
    from eventide.view.verification import plot_qualities as plot_qualities
    from eventide.view.warm_up import plot_warm_up as plot_warm_up

_HOMES = {
    "animation": ("Moment", "animate", "zigzag"),
    "canvas": ("new_figure", "save", "shown_figure"),
    "charts": ("mark_events", "plot_gantt"),
    "class_diagrams": ("class_diagram",),
    "influence": ("plot_bands", "plot_influence"),
    "entities": ("EntityPage", "animate_entities"),
    "panels": ("curves_as_html",),
    "pictures": ("plot_recording", "plot_recordings"),
    "regions": ("plot_stability",),
    "screens": ("screen_for",),
    "searches": ("plot_fit", "plot_search"),
    "sensitivities": ("plot_sensitivity",),
    "spaces": ("plot_cloud", "plot_phase", "plot_series", "plot_trajectory"),
    "spreads": ("plot_boxes", "plot_histogram"),
    "studies": ("plot_study",),
    "study_page": ("write_study_page",),
    "verification": ("plot_qualities",),
    "warm_up": ("plot_warm_up",),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = list(_MODULE_OF)  # noqa: PLE0605, RUF100  # made from the table above, so that they cannot disagree


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: watching a run needs no plotting library."""
    module = _MODULE_OF.get(name)
    if module is None:
        near = get_close_matches(name, _MODULE_OF, n=1)
        meant = f": perhaps {near[0]}" if near and name[0] != "_" else ""
        raise AttributeError(f"module 'eventide.view' has no attribute {name!r}{meant}")
    try:
        value = getattr(import_module(f"eventide.view.{module}"), name)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRA_OF:
            raise
        refuse(library, "figures", f"{name}()")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names alone."""
    return sorted(__all__)
