"""Import every module with kernels, and look into the files kernels are cached in."""

import ast
import importlib
import re
from pathlib import Path
from types import CodeType, FunctionType

import sequester
from sequester.primitives import compiled

SRC = Path(sequester.__path__[0])

HARMLESS = {
    "numba.cpython.builtins.ol_getattr_2": "",
    "numba.cpython.builtins.ol_int": "",
    "numba.cpython.builtins.ol_max": "",
    "numba.cpython.builtins.ol_min": "",
    "numba.cpython.builtins.ol_str_generic": "",
    "numba.cpython.numbers.int_power_impl": "is_integer tp zerodiv_return",  # the result's type, and flags
    "numba.cpython.unicode.integer_str": "ten",  # 10 in the argument's type
    "numba.cpython.unicode.ol_ord": "",
    "numba.cpython.unicode.unicode_concat": "",
    "numba.cpython.unicode.unicode_join": "parts",  # of a comprehension: the argument itself
    "numba.cpython.unicode.unicode_len": "",
    "numba.cpython.unicode.unicode_str": "",
    "numba.np.arraymath.array_argmax": "flatten_impl",  # by the type of the elements
    "numba.np.arraymath.array_sum": "",
    "numba.np.arraymath.np_any": "",
    "numba.np.arraymath.np_asarray": "arr target_dtype ty",  # types; `arr` is a literal, which is a type of its own
    "numba.np.arraymath.np_flatnonzero": "",
    "numba.np.arraymath.npy_max": "comparator pre_return_func",  # by the type of the elements
    "numba.np.arrayobj._change_dtype": "any_layout c_layout f_layout int8",  # constants
    "numba.np.arrayobj._ol_array_allocate": "",
    "numba.np.arrayobj.array_ravel": "",
    "numba.np.arrayobj.impl_np_full": "nb_dtype",  # the type of the elements
    "numba.np.arrayobj.make_nditer_cls": (  # writes code; compiled is `check_shape`, which captures nothing
        "FlatSubIter IndexedSubIter ScalarSubIter TrivialFlatSubIter ZeroDimSubIter builder indices layout narrays "
        "ndim nditerty nshapes"
    ),
    "numba.np.arrayobj.np_arange": "start_value step_value stop_value true_dtype use_complex",  # None unless literal
    "numba.np.arrayobj.np_ravel": "",
    "numba.np.arrayobj.numpy_take": "F_order _getitem _setitem _squeeze t",  # layout and dimensions of the arguments
    "numba.np.arrayobj.ol_array_zero_fill": "",
    "numba.np.arrayobj.ol_compatible_view": "",
    "numba.np.arrayobj.ol_np_empty": "retty",  # the result's type
    "numba.np.arrayobj.ol_np_ones": "",
    "numba.np.arrayobj.ol_np_zeros": "",
}
"""Functions of numba whose closures may be in a cached kernel, and the variables those closures capture.

A symbol spells out the function, the types of the arguments (a literal has a type of its own) and the flags of the
compiler. What a closure captures must follow from these, as was read in numba's source for every entry: then two
closures with one symbol are the same code. `make_quicksort_impl`, which captures whether it sorts values or places, is
the one that must never be here. `ol_raise_with_shape_context_cpu` is harmless but dear: an array assigned to a slice
(`a[i:j] = b[i:j]`, `a[i] /= 2`) makes numba compile the text of an error, two seconds in every process; write a loop.
A test compares the variables with those of the numba that is installed.
"""


def captured(function: FunctionType) -> set[str]:
    """The variables that closures made by a function capture."""

    def inside(code: CodeType) -> set[str]:
        parts = [c for c in code.co_consts if isinstance(c, CodeType)]
        return {name for part in parts for name in (*part.co_freevars, *inside(part))}

    return inside(function.__code__)


def modules() -> list[str]:
    """Names of all modules of the house that define a kernel."""
    found = [p for p in sorted(SRC.rglob("*.py")) if re.search(r"^@kernel\(", p.read_text("utf-8"), re.M)]
    return [".".join(("sequester", *p.relative_to(SRC).with_suffix("").parts)) for p in found]


def functions() -> dict[str, ast.FunctionDef]:
    """Every kernel as it is written, by module and name; known without importing or compiling anything."""
    found = {}
    for module in modules():
        path = SRC.joinpath(*module.split(".")[1:]).with_suffix(".py")
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any("kernel(" in ast.unparse(d) for d in node.decorator_list):
                found[f"{module}.{node.name}"] = node
    return found


def all_kernels() -> dict[str, compiled.Kernel]:
    for name in modules():
        importlib.import_module(name)
    return {name: made for name, made in compiled.KERNELS.items() if name.startswith("sequester.")}


def closures(data: bytes) -> set[str]:
    """The functions whose closures a compiled kernel contains, by the symbols in its object code."""
    found = set()
    for symbol in re.findall(rb"_ZN((?:(?!_ZN)[\w$.])*?)12_3clocals_3e", data):
        text, parts = symbol.decode(), []
        while digits := re.match(r"\d+", text):
            begin, length = digits.end(), int(digits.group())
            parts.append(text[begin : begin + length])
            text = text[begin + length :]
        found.add(".".join(parts).removeprefix("NumbaEnv."))
    return found


def fit_for_the_cache(folder: Path) -> list[str]:
    """What is wrong with the kernels cached below a folder: dangerous closures, and kernels with two signatures."""
    wrong, seen = [], {}
    for file in sorted(folder.rglob("*.kernel")):
        kernel = f"{file.parent.name}/{file.name.rsplit('-', 1)[0]}"
        if kernel in seen:
            wrong.append(f"{kernel} has two signatures")
        seen[kernel] = file
        wrong += [f"{kernel} contains {name}" for name in sorted(closures(file.read_bytes()) - HARMLESS.keys())]
    return wrong


def called_from_python() -> set[str]:
    """The kernels that something other than a kernel of the house names: their results are what methods use."""
    known, used = functions(), set()
    for path in sorted(SRC.rglob("*.py")):
        module = ".".join(("sequester", *path.relative_to(SRC).with_suffix("").parts))
        tree = ast.parse(path.read_text("utf-8"))
        named = {name.rsplit(".", 1)[1]: name for name in known if name.rsplit(".", 1)[0] == module}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                named |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        for top in tree.body:
            if isinstance(top, ast.ImportFrom) or (
                isinstance(top, ast.FunctionDef) and f"{module}.{top.name}" in known
            ):
                continue
            for node in ast.walk(top):
                if isinstance(node, ast.Name):
                    used.add(named.get(node.id, ""))
                elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    used.add(f"{named.get(node.value.id, '')}.{node.attr}")
    return used & known.keys()
