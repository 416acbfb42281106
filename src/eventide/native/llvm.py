"""The only module that knows llvmlite, which has no types: assembly to machine code, machine code to an address."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

import llvmlite  # type: ignore[import-untyped]  # it has no types
from llvmlite import binding

from eventide.native import loops


@cache
def machine_name() -> str:
    """What machine code made here depends on: compiler, target, processor."""
    features = binding.get_host_cpu_features().flatten()
    versions = f"llvmlite {llvmlite.__version__} LLVM {binding.llvm_version_info}"
    return f"{versions} {binding.get_process_triple()} {binding.get_host_cpu_name()} {features}"


class Machine:
    """Compiles for this processor, and keeps what was loaded in memory as long as it lives."""

    def __init__(self) -> None:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        self._target: Any = _target_machine()
        self._engine: Any = binding.create_mcjit_compiler(binding.parse_assembly(""), _target_machine())
        self._library = _mathematical_library()

    def compile(self, text: str, effort: int = 2) -> bytes:
        """The object code of a module.

        effort  of LLVM's passes, 0 to 3
        Raises RuntimeError if the text is no valid assembly, which would be an error of this library.
        """
        module = binding.parse_assembly(text)
        module.verify()
        options = binding.create_pipeline_tuning_options(speed_level=effort)
        builder = binding.create_pass_builder(self._target, options)
        builder.getModulePassManager().run(module, builder)
        code: bytes = self._target.emit_object(module)
        return code

    def load(self, code: bytes, symbol: str, needed: tuple[str, ...]) -> int:
        """The address of a function in object code.

        needed      the functions that it calls: of the mathematical library, loops of numpy, functions of Python
        Returns     0 if there is no such function in the code
        Raises LookupError if the library has not got one.
        """
        for name in needed:
            binding.add_symbol(name, self._address_of(name))
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        return int(self._engine.get_function_address(symbol))

    def _address_of(self, name: str) -> int:
        if name.startswith(loops.PREFIX):
            return loops.address_of(name)
        return _address_in(ctypes.pythonapi if name.startswith("Py") else self._library, name)


def _target_machine() -> object:
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=3,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


def _mathematical_library() -> object:
    if sys.platform == "win32":
        return ctypes.CDLL("ucrtbase")
    if sys.platform == "darwin":
        from ctypes.util import find_library

        return ctypes.CDLL(find_library("m"))
    return ctypes.CDLL(None)


def _address_in(library: object, name: str) -> int:
    try:
        function = getattr(library, name)
    except AttributeError:
        raise LookupError(name) from None
    return ctypes.cast(function, ctypes.c_void_p).value or 0
