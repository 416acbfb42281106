"""`python -m conformance`: what happens in every case, to the last bit, for comparison with another run.

Arguments: "recorded" looks on; "gc=off" and "gc=always" set the collector of garbage; "plain" compiles nothing;
"together" steps all together; "some" takes each sixth case.
"""

import gc
import sys

from conformance import CASES
from conformance.case import Case
from conformance.crowd import build
from conformance.play import play

CROWD = Case(title="a crowd", reported=(), asked="", exact=(), until=60.0, build=build, options={})


def main() -> None:
    words = set(sys.argv[1:])
    if "gc=off" in words:
        gc.disable()
    if "gc=always" in words:
        gc.set_threshold(1, 1, 1)
    for case in (CROWD, *CASES[:: 6 if "some" in words else 1]):
        outcome = play(
            case,
            stepping="together" if "together" in words else "apart",
            compile=False if "plain" in words else "auto",
            recorded="recorded" in words,
        )
        print(case.id, outcome.ended.hex(), outcome.message, [(name, value.hex()) for name, value in outcome.states])
        for name, time in outcome.log:
            print("   ", time.hex(), name)


if __name__ == "__main__":
    main()
