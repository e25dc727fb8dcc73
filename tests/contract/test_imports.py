"""The house's import rules: arrows only go down."""

import ast
import functools
from pathlib import Path

import sequester

SRC = Path(__file__).parents[2] / "src" / "sequester"

FLOOR = {
    "_shell": 9, "errors": 1, "platform": 1, "lazy": 1, "stored_tables": 2, "version": 1, "papers": 1,
    "kinds": 1, "languages": 1, "options": 1, "model": 1, "primitives": 2, "samples": 2,
    "dp": 3, "guarantees": 3, "release": 3, "engines": 3, "method": 3,
    "layouts": 4,
    "read": 5, "risk": 5, "methods": 5, "judges": 5, "utility": 5, "bundle": 5,
    "query": 6, "signing": 6, "checker": 6,
    "pages": 7,
    "accounts": 5, "bundle_checks": 8, "charging": 8, "publication": 8, "in_parts": 8, "flow": 8, "plan": 8,
    "plan_reading": 8, "attacks": 8, "audits": 8, "request": 8, "signed": 8, "stable_groups": 8,
    "federation": 8, "proposal": 8, "release_look": 8, "tuning": 8, "withdrawal": 8,
    "__init__": 9, "cli": 10, "workbench": 10, "contract": 11, "__main__": 11,
}  # fmt: skip
PUBLIC = {f"sequester.{name}" for name in sequester.__all__}
FACES = {"cli", "workbench"}
"""What people use; they know the library by its public names only."""
SEALED = {"read", "risk", "methods", "judges", "utility", "bundle"}
"""Rooms of the fifth floor never import each other; registries name them as strings. One exception: a measure that
asks what another k would keep runs the algorithm of its family, from that family's `shared`."""
KERNEL_CACHE = {"kernel_cache", "kernel_compiling", "kernel_types", "notice"}
"""Primitives that one room calls because they are part of how kernels are compiled and kept."""


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in FLOOR else "__init__"  # a public name lives in the hall


@functools.cache
def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where a name comes from"
            found |= {node.module} | {f"{node.module}.{a.name}" for a in node.names}
    return {m for m in found if m == "sequester" or m.startswith("sequester.")}


def edges():
    for path in sorted(SRC.rglob("*.py")):
        relative = path.relative_to(SRC).with_suffix("")
        here = relative.parts[0]
        for target in imports(path):
            yield relative, here, target


def test_every_room_is_on_a_floor():
    rooms = {
        p.stem if p.is_file() else p.name for p in SRC.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()
    }
    assert rooms == set(FLOOR), f"without a floor, or not there: {sorted(rooms ^ set(FLOOR))}"


def test_imports_only_go_down():
    wrong = [
        f"{path} imports {target}"
        for path, here, target in edges()
        if target != "sequester" and FLOOR[room(target)] > FLOOR[here]
    ]
    assert not wrong, wrong


def test_rooms_of_the_fifth_floor_do_not_import_each_other():
    wrong = [
        f"{path} imports {target}"
        for path, here, target in edges()
        if here in SEALED
        and room(target) in SEALED
        and room(target) != here
        and not (here == "utility" and target.startswith("sequester.methods.") and target.split(".")[3] == "shared")
    ]
    assert not wrong, wrong


def test_a_method_family_never_imports_another():
    wrong = [
        f"{path} imports {target}"
        for path, here, target in edges()
        if here == "methods"
        and len(path.parts) > 2
        and target.startswith("sequester.methods.")
        and target.split(".")[2] != path.parts[1]
    ]
    assert not wrong, wrong


def test_a_method_folder_is_imported_by_nobody_else():
    """Only the registry names it (as a string); what two methods need lives in their family's `shared`."""
    wrong = [
        f"{path} imports {target}"
        for path, here, target in edges()
        if len(parts := target.split(".")) > 3
        and parts[1] == "methods"
        and parts[3] != "shared"
        and (here != "methods" or path.parts[1:3] != tuple(parts[2:4]))
    ]
    assert not wrong, wrong


def test_a_primitive_serves_two_families_or_rooms():
    """What only one family uses lives in its `shared`, what one other room uses in that room."""
    users: dict[str, set[str]] = {}
    for path, here, target in edges():
        if target.startswith("sequester.primitives."):
            users.setdefault(target.split(".")[2], set()).add(path.parts[1] if here == "primitives" else _home(path))
    primitives = {path.stem for path in (SRC / "primitives").glob("*.py")} - {"__init__"}

    def served(name: str, seen: frozenset[str]) -> set[str]:
        inner = (users.get(name, set()) & primitives) - seen
        return (users.get(name, set()) - primitives).union(*(served(other, seen | {name}) for other in inner))

    lonely = {}
    for name in primitives - KERNEL_CACHE:
        homes = served(name, frozenset())
        if any(home.startswith("methods/") for home in homes):
            homes -= {"utility"}  # it may import what a family shares
        if len(homes) < 2:
            lonely[name] = homes
    assert lonely == {}


def _home(path: Path) -> str:
    return "/".join(path.parts[:2]) if path.parts[0] == "methods" else path.parts[0]


def test_the_judge_shares_no_code_with_methods_layouts_or_kernels():
    allowed = {"judges", "model", "release", "guarantees", "dp", "errors", "lazy", "kinds"}
    wrong = [
        f"{path} imports {target}" for path, here, target in edges() if here == "judges" and room(target) not in allowed
    ]
    assert not wrong, wrong


def test_an_attack_shares_no_code_with_a_method():
    """The trial around the attacks runs methods again; the attacks themselves know nothing of them."""
    wrong = [
        f"{path} imports {target}"
        for path, here, target in edges()
        if here == "attacks" and path.parts[-1] != "trial" and room(target) in {"methods", "judges"}
    ]
    assert not wrong, wrong


def test_bundle_query_and_pages_cannot_reach_an_original():
    wrong = [
        f"{path} imports {target}"
        for path, here, target in edges()
        if here in {"bundle", "query", "pages"} and room(target) in {"read", "methods", "risk", "utility", "judges"}
    ]
    assert not wrong, wrong


def test_the_command_line_and_the_workbench_use_public_names_only():
    wrong = [
        f"{path} imports {target}"
        for path, here, target in edges()
        if here in FACES
        and target != "sequester"
        and room(target) not in {*FACES, "__init__", "_shell", "platform"}
        and target not in PUBLIC
    ]
    assert not wrong, wrong


def test_no_file_is_longer_than_a_reader_can_hold():
    long = {path.as_posix(): n for path in SRC.rglob("*.py") if (n := len(path.read_text("utf-8").splitlines())) > 400}
    assert long == {}
