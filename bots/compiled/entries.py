"""The kernels that Python calls: compiled by numba in one process, loaded by llvmlite in others.

Compiled code is one file of object code, which needs neither numba nor Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ctypes import CFUNCTYPE, POINTER, c_double, c_int32, c_int64
from types import SimpleNamespace
from typing import Any, Final

_C: Final[Mapping[str, Any]] = {
    "i": c_int64,
    "d": c_double,
    "-": None,
    "*": POINTER(c_int64),
    "t": POINTER(c_int32),
}

ENTRIES: Final = {
    "set_up": "-**ii",
    "legal": "i***i",
    "candidates": "i***i",
    "play": "-**i",
    "undo": "-**",
    "lean": "d**",
    "playout": "i***i*i",
    "playouts": "i***i*i",
    "after": "i**iiiii****i*",
    "grow": "-***ti**",
    "games": "-***tidi***",
}
"""The types of the value of each kernel and of its arguments.

`i` is a whole number and `d` is not, `*` is an array of whole numbers, `t` is a tree, and `-` is
nothing.
"""


def object_code() -> bytes:
    """Compile the kernels, which takes half a minute. Raises ImportError without numba."""
    import numba  # from an extra
    from llvmlite import binding

    from lath.bots.compiled import kernels, search

    kinds: Mapping[str, Any] = {
        "i": numba.int64,
        "d": numba.float64,
        "*": numba.types.CPointer(numba.int64),
        "t": numba.types.CPointer(numba.int32),
    }
    # All kernels are optimised once, together.
    config = vars(numba.config)
    config["OPT"] = type(config["OPT"])(0)
    whole = binding.parse_assembly("")
    names = {}
    for name, letters in ENTRIES.items():
        kernel = getattr(kernels, name, None) or getattr(search, name)
        signature = tuple(map(kinds.__getitem__, letters[1:]))
        kernel.compile(signature)
        kernel.disable_compile()  # for other kernels, which pass literal numbers
        names[kernel.overloads[signature].fndesc.llvm_cfunc_wrapper_name] = name
        whole.link_in(binding.parse_assembly(kernel.inspect_llvm(signature)))
    for function in whole.functions:
        if function.name in names:
            function.name = names[function.name]
        elif not function.is_declaration:
            function.linkage = "internal"
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="default",
    )
    builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(3))
    builder.getModulePassManager().run(whole, builder)
    return bytes(machine.emit_object(whole))


def loaded(code: bytes) -> SimpleNamespace:
    """Return the functions of object code by their names."""
    from llvmlite import binding  # from an extra

    binding.check_jit_execution()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    # All sections get one piece of memory, so that they are near each other.
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine, use_lmm=True)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    found: dict[str, Callable[..., Any]] = {
        name: CFUNCTYPE(*map(_C.__getitem__, letters))(engine.get_function_address(name))
        for name, letters in ENTRIES.items()
    }
    return SimpleNamespace(engine=engine, **found)
