"""c_api.h and the old layouts against XLA's genuine headers, name by name: sizes, offsets, types of
fields and functions, numbers."""

import re
import shutil
import subprocess

import c_headers
import pytest
from c_headers import CURRENT, RELEASES, ROOT, Declarations
from the_tree import ffi_versions

OURS = [
    ROOT / "typed_ffi" / name
    for name in ("c_api_frame.h", "c_api_requests.h", "c_api.h", *c_headers.HEADER_NAMES[1:])
]
INCLUDES = [
    f"callbridge/typed_ffi/{name}" for name in (*c_headers.HEADER_NAMES, "old_api_tables.h")
]
OLD = "callbridge::typed_ffi::old::"

# The first version from which each spelling holds, where it is not c_api.h's own all along.
SPELLINGS = {
    "XLA_FFI_Api": {
        "0.4.30": OLD + "XLA_FFI_Api_0_4_30",
        "0.4.31": OLD + "XLA_FFI_Api_0_4_31",
        "0.4.34": OLD + "XLA_FFI_Api_0_4_34",
        "0.4.38": OLD + "XLA_FFI_Api_0_4_38",
        "0.6.2": OLD + "XLA_FFI_Api_0_6_2",
        "0.8.3": OLD + "XLA_FFI_Api_0_8_3",
        "0.10.2": OLD + "XLA_FFI_Api_0_10_2",
        "0.11.2": "XLA_FFI_Api",
    },
    "XLA_FFI_CallFrame": {
        "0.4.30": OLD + "XLA_FFI_CallFrame_0_4_30",
        "0.4.34": "XLA_FFI_CallFrame",
    },
    "XLA_FFI_Handler_Bundle": {
        "0.4.30": OLD + "XLA_FFI_Handler_Bundle_0_4_30",
        "0.4.31": OLD + "XLA_FFI_Handler_Bundle_0_4_31",
        "0.11.2": "XLA_FFI_Handler_Bundle",
    },
    "XLA_FFI_Handler_Register_Args": {
        "0.4.30": OLD + "XLA_FFI_Handler_Register_Args_0_4_30",
        "0.4.31": OLD + "XLA_FFI_Handler_Register_Args_0_4_31",
        "0.11.2": "XLA_FFI_Handler_Register_Args",
    },
    "XLA_FFI_Handler_Register": {
        "0.4.30": OLD + "XLA_FFI_Handler_Register_0_4_30",
        "0.4.31": OLD + "XLA_FFI_Handler_Register_0_4_31",
        "0.11.2": "XLA_FFI_Handler_Register",
    },
    "XLA_FFI_Metadata": {
        "0.4.34": OLD + "XLA_FFI_Metadata_0_4_34",
        "0.8.3": "XLA_FFI_Metadata",
    },
    "XLA_FFI_State_Set_Args": {
        "0.4.31": OLD + "XLA_FFI_State_Set_Args_0_4_31",
        "0.8.3": OLD + "XLA_FFI_State_Set_Args_0_8_3",
        "0.10.2": "XLA_FFI_State_Set_Args",
    },
    "XLA_FFI_State_Set": {
        "0.4.31": OLD + "XLA_FFI_State_Set_0_4_31",
        "0.8.3": OLD + "XLA_FFI_State_Set_0_8_3",
        "0.10.2": "XLA_FFI_State_Set",
    },
    "XLA_FFI_State_Get_Args": {
        "0.4.31": OLD + "XLA_FFI_State_Get_Args_0_4_31",
        "0.10.2": "XLA_FFI_State_Get_Args",
    },
    "XLA_FFI_State_Get": {
        "0.4.31": OLD + "XLA_FFI_State_Get_0_4_31",
        "0.10.2": "XLA_FFI_State_Get",
    },
    "XLA_FFI_ExecutionStage_PREPARE": {
        "0.4.30": OLD + "XLA_FFI_ExecutionStage_0_4_30_PREPARE",
        "0.4.31": "XLA_FFI_ExecutionStage_PREPARE",
    },
    "XLA_FFI_ExecutionStage_INITIALIZE": {
        "0.4.30": OLD + "XLA_FFI_ExecutionStage_0_4_30_INITIALIZE",
        "0.4.31": "XLA_FFI_ExecutionStage_INITIALIZE",
    },
    "XLA_FFI_ExecutionStage_EXECUTE": {
        "0.4.30": OLD + "XLA_FFI_ExecutionStage_0_4_30_EXECUTE",
        "0.4.31": "XLA_FFI_ExecutionStage_EXECUTE",
    },
}
# Gone since: in the namespace of the old layouts, under their own names.
GONE = [
    "XLA_FFI_Extension_Base",
    "XLA_FFI_Error_GetMessage",
    "XLA_FFI_Error_GetMessage_Args",
    "XLA_FFI_TypeId_Register",
    "XLA_FFI_TypeId_Register_Args",
    "XLA_FFI_ExecutionContext_Get",
    "XLA_FFI_ExecutionContext_Get_Args",
]
# What 0.11.2's STRUCT_SIZE says is less: 0.12 appended to these.
GREW = {"XLA_FFI_Api": (200, 208), "XLA_FFI_Collectives_Extension": (56, 72)}
# Each version has its own numbers.
OWN_NUMBERS = [
    "XLA_FFI_API_MAJOR",
    "XLA_FFI_API_MINOR",
    "XLA_FFI_Extension_Collectives_MinorVersion",
    "XLA_FFI_Extension_Record_MinorVersion",
]


def spelling(version):
    def spell(kind, name):
        if kind == "field":
            return "extension_start" if name == "priv" else name
        if kind == "value" and name in OWN_NUMBERS and version != CURRENT:
            return None
        if name in GONE:
            return OLD + name
        since = SPELLINGS.get(name, {})
        spelled = name
        for known in RELEASES[: RELEASES.index(version) + 1]:
            spelled = since.get(known, spelled)
        return spelled

    return spell


def plain(type_name):
    """A type in the words of today: names that were replaced by others of the same layout."""
    text = re.sub(rf"{OLD}|(?<=[a-z])_0_\d+_\d+", "", type_name)
    text = text.replace("XLA_FFI_Extension_", "XLA_FFI_InternalExtension_")
    text = text.replace("XLA_FFI_InternalExtension_Base", "XLA_FFI_InternalExtension")
    text = text.replace("XLA_FFI_ExecutionContext", "XLA_FFI_InvokeContext")
    return text.replace("XLA_FFI_InternalApi const*", "XLA_FFI_InternalApi*")


def differences(genuine, ours, version):
    """Each difference in a line of text."""
    found = []

    def compare(what, theirs, mine):
        if theirs != mine:
            found.append(f"{what}: XLA {theirs}, ours {mine}")

    for name, struct in genuine["structs"].items():
        mine = ours["structs"][name]
        for size in ("sizeof", "STRUCT_SIZE"):
            grown = GREW.get(name) if version == "0.11.2" else None
            if grown != (struct[size], mine[size]):
                compare(f"{size} {name}", struct[size], mine[size])
        for field, (offset, type_name) in struct["fields"].items():
            my_offset, my_type = mine["fields"][field]
            compare(f"{name}.{field}", offset, my_offset)
            if field != "priv":
                compare(f"type of {name}.{field}", plain(type_name), plain(my_type))
    for name, value in genuine["values"].items():
        if name in ours["values"]:
            compare(name, value, ours["values"][name])
    for name, type_name in genuine["functions"].items():
        compare(f"type of {name}", plain(type_name), plain(ours["functions"][name]))
    return found


def measure_genuine(version, folder):
    headers = c_headers.genuine_headers(version)
    return c_headers.measure(
        Declarations(headers),
        [f"xla/ffi/api/{header.name}" for header in headers],
        ["-w", "-isystem", c_headers.include_folder(version)],
        folder,
    )


def measure_ours(version, folder, *options):
    """What the genuine headers of `version` declare, measured on ours."""
    declarations = Declarations(c_headers.genuine_headers(version))
    options = [*options, "-Wall", "-Wextra", "-Werror", "-I", ROOT / "include"]
    return c_headers.measure(declarations, INCLUDES, options, folder, spelling(version))


@pytest.mark.parametrize("version", RELEASES)
def test_every_layout_of_every_version(version, tmp_path):
    genuine = measure_genuine(version, tmp_path)
    ours = measure_ours(version, tmp_path)
    # Were there no field, or no type of a function, nothing would differ.
    assert len(genuine["structs"]) >= 20 and len(genuine["functions"]) >= 10
    assert len(genuine["structs"]["XLA_FFI_Api"]["fields"]) >= 12
    assert len(genuine["values"]) >= 45
    assert differences(genuine, ours, version) == []


@pytest.mark.parametrize("version", RELEASES)
def test_the_api_version_of_every_release(version):
    """runtime_versions.h is where the project says it."""
    text = "".join(header.read_text() for header in c_headers.genuine_headers(version))
    genuine = re.search(r"^#define XLA_FFI_API_MINOR (\d+)$", text, re.MULTILINE)[1]
    number = tuple(map(int, version.split(".")))
    ours = None
    for minor, releases in ffi_versions():
        first = releases.split()[0]
        if tuple(map(int, first.split("."))) <= number:
            ours = minor
    assert ours == genuine


def test_all_names_are_xlas_own():
    genuine, ours = Declarations(c_headers.genuine_headers(CURRENT)), Declarations(OURS)
    assert set(ours.structs) == set(genuine.structs)
    assert ours.sized == genuine.sized
    for kind in ("enumerators", "functions", "macros"):
        assert sorted(getattr(ours, kind)) == sorted(getattr(genuine, kind)), kind
    assert {name: ours.structs[name] for name in ours.structs} == genuine.structs


# ---- The comparison itself ----------------------------------------------------------------------


@pytest.fixture
def changed(tmp_path):
    """changed(header, old, new): a folder to put in front, where that header reads otherwise."""

    def change(header, old, new):
        folder = tmp_path / "changed"
        copy = folder / "callbridge/typed_ffi"
        if not copy.exists():
            shutil.copytree(ROOT / "typed_ffi", copy)
        text = (copy / header).read_text()
        assert text.count(old) == 1
        (copy / header).write_text(text.replace(old, new))
        return folder

    return change


SWAP = (
    "c_api_frame.h",
    "  int64_t rank;\n  int64_t* dims;\n",
    "  int64_t* dims;\n  int64_t rank;\n",
)


def test_a_moved_field_is_found(changed, tmp_path):
    changed(*SWAP)
    frozen = (ROOT / "typed_ffi/frozen.h").read_text()
    folder = changed("frozen.h", frozen, frozen.replace("#ifdef __cplusplus", "#if 0"))
    genuine = measure_genuine(CURRENT, tmp_path)
    assert differences(genuine, measure_ours(CURRENT, tmp_path, "-I", folder), CURRENT) == [
        "STRUCT_SIZE XLA_FFI_Buffer: XLA 48, ours 40",
        "XLA_FFI_Buffer.rank: XLA 32, ours 40",
        "XLA_FFI_Buffer.dims: XLA 40, ours 32",
    ]


def test_a_moved_field_does_not_compile(changed, capfd, tmp_path):
    folder = changed(*SWAP)
    with pytest.raises(subprocess.CalledProcessError):
        measure_ours(CURRENT, tmp_path, "-I", folder)
    assert "XLA_FFI_Buffer is frozen, but rank has moved" in capfd.readouterr().err


@pytest.mark.parametrize(
    "header, old, new, difference",
    [
        (
            "c_api_frame.h",
            "XLA_FFI_DataType_U4 = 22,",
            "XLA_FFI_DataType_U4 = 34,",
            "XLA_FFI_DataType_U4: XLA 22, ours 34",
        ),
        (
            "c_api_frame.h",
            "TRAITS(XLA_FFI_CallFrame, attrs)",
            "TRAITS(XLA_FFI_CallFrame, future)",
            "STRUCT_SIZE XLA_FFI_CallFrame: XLA 168, ours 176",
        ),
        (
            "c_api_requests.h",
            "int64_t run_id;",
            "uint64_t run_id;",
            "type of XLA_FFI_RunId_Get_Args.run_id: XLA long, ours unsigned long",
        ),
        (
            "c_api_requests.h",
            "typedef void XLA_FFI_Error_Destroy(",
            "typedef int XLA_FFI_Error_Destroy(",
            "type of XLA_FFI_Error_Destroy: XLA void (*)(XLA_FFI_Error_Destroy_Args*), "
            "ours int (*)(XLA_FFI_Error_Destroy_Args*)",
        ),
    ],
)
def test_a_change_is_found(header, old, new, difference, changed, tmp_path):
    ours = measure_ours(CURRENT, tmp_path, "-I", changed(header, old, new))
    assert difference in differences(measure_genuine(CURRENT, tmp_path), ours, CURRENT)
