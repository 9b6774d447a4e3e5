"""The catalogue of attacks in `sandbox.md`: the test of each, and its expected outcome.

`tests/arena/sandbox/test_attacks.py` asserts each of its entries.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from places import page_text

MODES: Final = ("none", "user", "bwrap", "bwrap-user")
"""The sandboxes; root starts `user` and `bwrap`, an ordinary user `none` and `bwrap-user`."""

NO, SYSTEM = "no", "depends"
ENDS: Final = {NO, "noticed", "yes", SYSTEM}
"""The outcomes: blocked, noticed, successful, or decided by the system."""


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Return the outcomes by sandbox for each attack, in the words of the document."""
    _, *groups = re.split(r"^\*\*(?=`none`|all three)", page_text("sandbox"), flags=re.MULTILINE)
    found = {}
    for heading, _, listed in (group.partition("**\n\n") for group in groups):
        named = dict(re.findall(r"`([a-z]+)` ([a-z]+)", heading))
        ends = list(named.values()) or [heading.removeprefix("all three: ")] * 3
        for words in re.findall(r"^- (.+)$", listed, re.MULTILINE):
            assert words not in found, words
            found[words] = dict(zip(MODES, [*ends, ends[-1]], strict=True))
    assert {cell for cells in found.values() for cell in cells.values()} == ENDS
    return found


TRIED: Final = {
    "secret": "read your private files",
    "public": "read a public file, such as another bot",
    "tournament": "rewrite results",
    "own_program": "change its own program",
    "own_interpreter": "overwrite its interpreter",
    "leftovers": "leave a file in `/tmp` or `/dev/shm`",
    "disk": "take 300 MB of the disk",
    "long_file": "write a file over 256 MiB",
    "folders_up": "leave its folder by `..` or `/proc`",
    "machine_files": "read settings of the machine",
    "file_handles": "open a file by its handle",
    "own_environment": "find your variables among its own",
    "runners_environment": "read the runner's variables",
    "runners_folder": "find the tournament",
    "runners_pipes": "forge results through a worker's pipes",
    "runners_memory": "read the runner's memory",
    "memory_of_others": "read the runner's memory by `process_vm_readv`",
    "descriptors_of_others": "take the runner's open files",
    "signal_runner": "kill its worker, stop the runner",
    "kill": "kill your processes",
    "signal_opponent": "kill its opponent",
    "opponents_pipes": "resign in its opponent's name",
    "opponents_environment": "read its opponent's variables",
    "trace": "trace its opponent",
    "others": "list other processes",
    "descriptors": "find an open file of others",
    "first_process": "read the sandbox's own process",
    "daemon": "leave a process after the run",
    "port": "connect to a port or the network",
    "unix_socket": "connect to a socket in the file system",
    "abstract_socket": "connect to an abstract socket",
    "mail_of_audit": "open netlink, AF_ALG or vsock sockets",
    "is_root": "run as root",
    "other_users": "become another user",
    "capabilities": "have capabilities",
    "setuid_programs": "gain rights by `su`",
    "set_user_id": "leave a set-user-id program",
    "device_files": "make a device",
    "mount_options": "write where set-user-id works",
    "namespaces": "make namespaces of its own",
    "namespaces_by_clone": "make namespaces by `clone`",
    "enter_namespaces": "enter your namespaces",
    "mount": "mount a file system",
    "remount": "make read-only files writable",
    "old_calls": "use 32-bit or x32 system calls",
    "limits": "raise its own limits",
    "opponents_limits": "lower its opponent's limits",
    "core_pattern": "set the program that handles crashes",
    "kernel_settings": ("open settings of `/proc` for writing"),
    "release_agent": "change control groups",
    "kernel_memory": "read the kernel's memory",
    "kernel_messages": "read the kernel's messages",
    "kernel_threads_of_code": "load a kernel module",
    "kernel": "use `bpf`, `io_uring`, the kernel's keys",
    "performance_counters": "count events of the processor",
    "devices": "find other devices",
    "terminal": "read your terminal",
    "tiocsti": "type at your terminal",
    "clock": "set the machine's clock",
    "machine_name": "learn the machine's name",
    "memory": "exceed `memory` in one process",
    "memory_of_all": "exceed `memory` in all processes together",
    "hidden_memory": "hold memory in `memfd` in flight",
    "long_pipes": "make pipes longer",
    "long_sockets": "hold more data in sockets",
    "pages_in_pipes": "hold pages by `vmsplice`",
    "pages_of_files_in_pipes": "hold pages of files by `splice`",
    "descriptors_of_threads": "hold open files outside its list",
    "descriptors_that_travel": "hold open files in sockets",
    "datagrams": "pile up datagrams",
    "locked_memory": "lock more than 64 MiB",
    "waiting_signals": "pile up signals and timers",
    "requests_of_all": "use up the requests of `io_setup`",
    "terminals": "use up the terminals",
    "shared_memory": "leave shared memory",
    "last_to_be_killed": "make the kernel kill others first",
    "processes": "run 400 processes",
    "affinity": "compute on other cores",
    "priority": "raise its priority by niceness",
    "slow_runner": "change the runner's niceness",
    "real_time": "raise its priority by real time",
    "deadline": "raise its priority by a deadline",
    "disk_priority": "raise its priority on the disk",
    "all_disks": "make all disks write (`sync`)",
    "core_dump": "leave a core file",
    "file_locks": "signal each other by file locks",
    "notices_of_files": "watch a file (`inotify`)",
    "page_cache": "learn which files are in memory",
    "merged_pages": "read merged pages",
    "statistics_of_all": "read how busy the machine is",
}
"""The attacks of the attacker: the function's name, and the words of the document."""

ELSEWHERE: Final = {
    "read a file through a link in its folder": (
        "test_nothing_that_an_entrant_delivers_widens_what_it_sees"
    ),
    "make the clean-up follow a link": (
        "test_a_cache_is_its_bots_alone_and_no_link_in_it_is_followed"
    ),
    "block the arena with a pipe as program": (
        "test_a_pipe_in_a_folder_is_refused_and_waited_for_by_nobody"
    ),
    "fill the disk with unnamed files": ("test_files_without_a_name_count_in_a_cache"),
    "fill the disk with its build": "test_a_build_that_fills_the_disk_is_ended",
    "enter the folder of caches": "test_a_cache_is_its_bots_alone_and_no_link_in_it_is_followed",
    "end its worker by epoll watches": ("test_a_watch_without_room_in_epoll_polls"),
    "weaken its sandbox by its configuration": (
        "test_no_key_of_an_entrants_file_gives_its_bot_more"
    ),
    "influence its sandbox by variables": (
        "test_a_bots_own_variables_steer_nothing_that_makes_its_sandbox"
    ),
    "make git run its program as you": ("test_what_a_repository_has_git_run_stays_in_the_sandbox"),
    "read another repository through its own": "test_a_repository_does_not_lead_to_another_one",
    "run its build without its sandbox": "test_a_build_that_reads_another_entrants_folder_fails",
    "hold memory in page tables and pipes": (
        "test_memory_counts_wherever_it_is_held_and_may_be_held_anywhere"
    ),
    "hold memory in files in its folders": "test_files_in_memory_count",
    "compute in children while its opponent thinks": (
        "test_a_bot_whose_processes_compute_on_the_others_turn_is_named_and_stopped"
    ),
    "pass its own wait off as a stall": ("test_who_keeps_the_machine_busy_gains_nothing"),
    "compute in short-lived children": ("test_children_that_nobody_waits_for_are_seen_running"),
    "flood the worker with lines": ("test_lines_that_nobody_asked_for_are_soon_a_flood"),
    "compute while it is stopped": (
        "test_what_its_turns_allow_is_no_excess_and_a_bot_that_defies_its_stop_ends"
    ),
    "compute on more cores than `threads`": (
        "test_who_computes_on_more_cores_than_it_may_have_ends"
    ),
    "signal each other by timing": "",
}
"""The other attacks, with the tests that try them; an attack without a test has no entry."""
