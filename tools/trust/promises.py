"""What is promised, and the tests that keep each promise."""

from __future__ import annotations

from typing import NamedTuple


class Promise(NamedTuple):
    """A sentence, the tests that keep it (folders, files or ``file::test``), what is missing."""

    text: str
    tests: tuple[str, ...] = ()
    missing: str = ""


URDF, MJCF = "tests/unit/mechanism/io/urdf", "tests/unit/mechanism/io/mjcf"
SIMULATION = "tests/laws/test_simulation.py"
TRAJECTORIES = "tests/unit/simulation/trajectory/test_damaged_files.py"

PROMISES = {
    "G1": Promise(
        "Wrong robot files are refused or repaired with file, line and remedy; real ones load.",
        (
            f"{URDF}/test_urdf_errors.py",
            f"{MJCF}/test_mjcf.py::test_refusals_tell_where",
            "tests/unit/mechanism/io/sdf/test_sdf_errors.py",
            "tests/unit/mechanism/io/test_json.py",
            "tests/unit/mechanism/test_physics.py",
            "tests/agreement/test_zoo.py::test_wrong_files_are_refused_or_repaired",
        ),
    ),
    "G2": Promise(
        "Mutated files and texts give a result or one of our errors: no crash, no hang.",
        (
            f"{URDF}/test_urdf_fuzz.py::test_mutated_files_give_a_mechanism_or_our_own_error",
            "tests/unit/mechanism/io/test_json.py::test_mutated_files_raise_only_our_errors",
            "tests/laws/test_fuzz_readers.py",
            TRAJECTORIES,
            "tests/unit/test_pickle.py::test_mutated_texts_are_read_or_refused",
            f"{MJCF}/test_attributes.py",
        ),
    ),
    "G3": Promise(
        "Bombs (entities, depth, huge counts and headers) are refused at once, in little memory.",
        (
            f"{URDF}/test_urdf_fuzz.py::test_a_bomb_is_refused_quickly_in_little_memory",
            f"{MJCF}/test_mjcf_security.py::test_bombs_are_refused_at_once",
            "tests/unit/reader/test_parse.py::test_bombs_are_refused_at_once_and_in_little_memory",
            f"{TRAJECTORIES}::test_a_bomb_is_refused_at_once_in_little_memory",
        ),
    ),
    "G4": Promise(
        "No path in a file leads out of the folder of that file.",
        (
            f"{MJCF}/test_mjcf_security.py::test_no_way_out",
            f"{MJCF}/test_mjcf_security.py::test_no_way_out_through_folders",
            f"{MJCF}/test_mjcf_security.py::test_missing_meshes_do_not_open_the_jail",
            f"{URDF}/test_urdf.py::test_only_the_file_itself_is_opened",
        ),
    ),
    "G5": Promise(
        "Nothing in a file or a text is executed; generated code has plain identifiers only.",
        (
            f"{MJCF}/test_mjcf_security.py::test_names_are_only_names",
            "tests/unit/reader/test_parse.py",
            "tests/laws/test_no_code_from_data.py",
            "tests/unit/test_pickle.py",
            "tests/project/test_source.py",
        ),
    ),
    "G6": Promise(
        "Damaged, foreign or unwritable cache entries change no bit of a result.",
        ("tests/unit/kernel/test_cache.py",),
    ),
    "G7": Promise(
        "The verdict on an inertia is that of the exact pseudo-inertia; repairs are consistent.",
        ("tests/unit/spatial/inertia/test_consistency.py",),
    ),
    "G8": Promise(
        "No numerical function returns NaN silently, whatever it is given.",
        ("tests/laws/test_no_silent_nan.py", "tests/unit/model/test_border.py"),
    ),
    "G9": Promise(
        "Random and real robots agree with Pinocchio and MuJoCo: 1e-12 of the largest entry of M, "
        "poses and Jacobians, 1e-11 of forces.",
        (
            "tests/agreement/test_random_trees.py",
            "tests/agreement/test_model.py",
            "tests/agreement/test_zoo.py",
            "tests/agreement/test_jacobians.py",
        ),
    ),
    "G9b": Promise(
        "Identities of the equations hold exactly, for random systems and for the programs.",
        (
            "tests/laws/test_random_systems.py",
            "tests/laws/test_certificates.py",
            "tests/laws/test_rounding.py",
        ),
    ),
    "G10": Promise(
        "Closed loops do not drift; singular passages are reported.",
        (
            f"{SIMULATION}::test_closed_loops_do_not_drift",
            f"{SIMULATION}::test_a_parallelogram_passes_its_singular_configurations",
            f"{SIMULATION}::test_bennetts_linkage_follows_its_closed_form",
        ),
    ),
    "G11": Promise(
        "Energy, momentum and unit quaternions are kept; time reversal returns to the start.",
        (
            f"{SIMULATION}::test_the_double_pendulum_keeps_its_energy_at_default_settings",
            f"{SIMULATION}::test_the_double_pendulum_keeps_its_energy_for_long",
            f"{SIMULATION}::test_a_free_chain_keeps_its_momentum_and_unit_quaternions",
            f"{SIMULATION}::test_time_reversal_returns_to_the_start",
            f"{SIMULATION}::test_the_double_pendulum_runs_back",
        ),
    ),
    "G12": Promise(
        "All backends compute the same.",
        (
            "tests/unit/model/test_backends.py",
            "tests/unit/kernel/backends",
        ),
    ),
    "G12b": Promise(
        "Derivatives agree with complex steps and with Pinocchio.",
        (
            "tests/agreement/test_derivatives.py",
            "tests/agreement/test_model.py::test_derivatives_are_complex_steps",
        ),
    ),
    "G13": Promise(
        "The same input gives the same bytes, in any process.",
        ("tests/laws/test_determinism.py",),
    ),
    "G14": Promise(
        "A sweep that is killed resumes without loss.",
        (
            "tests/unit/studies/test_kill.py",
            "tests/unit/studies/engines",
        ),
    ),
    "G15": Promise(
        "Long use leaks neither memory nor files; processes share one cache.",
        ("tests/laws/test_long_use.py",),
    ),
    "G16": Promise(
        "Identified parameters are exact without noise and physically consistent with it.",
        ("tests/unit/identification",),
    ),
    "G17": Promise(
        "Reachable targets are solved, unreachable ones are named.",
        ("tests/unit/ik/methods/test_global_search.py",),
    ),
    "G18": Promise(
        "Nothing false is proved, nothing true is refuted, injected faults are found.",
        (
            "tests/laws/test_prover_audit.py",
            "tests/laws/test_equality.py",
            "tests/laws/test_faults.py",
            "tests/laws/test_program_faults.py",
            "tests/laws/test_equation_faults.py",
            "tests/laws/test_certificates.py",
            "tests/unit/mechanics/proofs/test_domain.py",
            "tests/unit/mechanics/answers/test_domain.py",
            "tests/unit/model/certificates/test_defined.py",
        ),
    ),
    "G19": Promise(
        "Every code block of the documentation runs.",
        ("tests/project/test_readme.py",),
    ),
    "G20": Promise(
        "The package installs and works with its core dependencies alone.",
        ("tests/project/test_release.py",),
    ),
    "G21": Promise(
        "Certificates of equations hold by themselves; the checker accepts none that is false.",
        (
            "tests/laws/certificates/test_every_example.py",
            "tests/laws/certificates/test_attacks.py",
            "tests/laws/certificates/test_hostile_texts.py",
        ),
    ),
    "S1": Promise(
        "A file that is being saved is never half written: the old one stays whole.",
        ("tests/unit/test_files.py",),
    ),
    "S2": Promise(
        "Objects that are copied, or sent to other processes, are rebuilt from checked data.",
        ("tests/unit/test_pickle.py",),
    ),
    "S3": Promise(
        "The studio opens one port and refuses strangers before a WebSocket is opened.",
        ("tests/unit/studio/test_strangers.py", "tests/unit/studio/test_gate.py"),
    ),
    "S4": Promise(
        "No flipped bit of a study becomes another number, and the rest can be read.",
        ("tests/unit/studies/test_sweep.py::test_no_bit_is_flipped_in_silence",),
    ),
}
"""Identifier → promise."""


def promises_of(test: str) -> list[str]:
    """Return the identifiers of the promises that a test keeps, given its ``file::name``."""
    plain = test.split("[")[0]
    return [
        name
        for name, promise in PROMISES.items()
        if any(
            plain == kept or plain.startswith((f"{kept}::", f"{kept}/")) for kept in promise.tests
        )
    ]
