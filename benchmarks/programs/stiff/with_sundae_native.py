"""SUNDIALS' CVODE, backward differentiation, all in native code: its libraries as scikit-sundae brings them, called by
ctypes, and the right-hand side by numba; at the tolerance where its error is that of the others.
"""

import ctypes
from functools import cache
from importlib.metadata import files

import numpy as np
from numba import carray, cfunc, njit, types
from stiff import StiffTrial

PACKAGE = "scikit-sundae"
SHARE = {"robertson": 0.001, "hires": 0.003}
"""Of the tolerance of 1e-6."""
BACKWARD, ONCE = 2, 1  # CV_BDF, CV_NORMAL
POINTER, REAL, INDEX = ctypes.c_void_p, ctypes.c_double, ctypes.c_int32  # as scikit-sundae has it built


@cache
def library(part):
    name = next(file for file in files(PACKAGE) if f"libsundials_{part}-" in file.name)
    return ctypes.CDLL(str(name.locate()), mode=ctypes.RTLD_GLOBAL)


def call(part, name, answer, *arguments):
    """A function of SUNDIALS; arguments are pairs of kind and value."""
    function = getattr(library(part), name)
    function.restype, function.argtypes = answer, [kind for kind, _ in arguments]
    return function(*(value for _, value in arguments))


@cache
def right_hand_side(rates):
    native, vector = njit(error_model="numpy")(rates), types.CPointer(types.CPointer(types.CPointer(types.double)))

    # A serial vector begins with the address of its content, whose second word is the address of the numbers.
    @cfunc(types.int32(types.double, vector, vector, types.voidptr), error_model="numpy")
    def function(t, y, rate, user):
        states, target = y[0][1], rate[0][1]
        found = native(t, states)
        for k in range(len(found)):
            target[k] = found[k]
        return 0

    return function


class Trial(StiffTrial):
    def prepare(self):
        for part in ("core", "nvecserial", "sunmatrixdense", "sunlinsoldense", "cvode"):
            library(part)
        size, tolerance = len(self.start), self.tolerance * SHARE[self.name]
        context = POINTER()
        call("core", "SUNContext_Create", ctypes.c_int, (ctypes.c_int, 0), (POINTER, ctypes.addressof(context)))
        self.vector = call("nvecserial", "N_VNew_Serial", POINTER, (INDEX, size), (POINTER, context))
        address = call("nvecserial", "N_VGetArrayPointer_Serial", POINTER, (POINTER, self.vector))
        self.values = carray(ctypes.cast(address, ctypes.POINTER(REAL)), size)
        self.values[:] = self.start
        self.memory = call("cvode", "CVodeCreate", POINTER, (ctypes.c_int, BACKWARD), (POINTER, context))
        self.rates = right_hand_side(self.problem.rates)
        memory, vector = (POINTER, self.memory), (POINTER, self.vector)
        self.do("CVodeInit", memory, (POINTER, self.rates.address), (REAL, 0.0), vector)
        self.do("CVodeSStolerances", memory, (REAL, tolerance), (REAL, tolerance * self.problem.scale))
        matrix = call("sunmatrixdense", "SUNDenseMatrix", POINTER, (INDEX, size), (INDEX, size), (POINTER, context))
        solver = call("sunlinsoldense", "SUNLinSol_Dense", POINTER, vector, (POINTER, matrix), (POINTER, context))
        self.do("CVodeSetLinearSolver", memory, (POINTER, solver), (POINTER, matrix))
        self.do("CVodeSetMaxNumSteps", memory, (ctypes.c_long, 10**6))

    def do(self, name, *arguments):
        code = call("cvode", name, ctypes.c_int, *arguments)
        if code < 0:
            raise RuntimeError(f"{name} answers {code}")

    def count(self, name):
        number = ctypes.c_long()
        self.do(name, (POINTER, self.memory), (POINTER, ctypes.addressof(number)))
        return number.value

    def solve(self, until):
        reached = REAL()
        memory, vector = (POINTER, self.memory), (POINTER, self.vector)
        self.do("CVode", memory, (REAL, until), vector, (POINTER, ctypes.addressof(reached)), (ctypes.c_int, ONCE))
        evaluations = self.count("CVodeGetNumRhsEvals") + self.count("CVodeGetNumLinRhsEvals")
        counts = {"steps": self.count("CVodeGetNumSteps"), "evaluations": evaluations}
        return np.array(self.values), counts | {"factorizations": self.count("CVodeGetNumLinSolvSetups")}
