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
    "leftovers": "leave a file behind in `/tmp` or `/dev/shm`",
    "disk": "write 300 MB to the disk",
    "long_file": "write a file over 256 MiB",
    "folders_up": "leave its folder through `..` or `/proc`",
    "machine_files": "read the machine's settings",
    "file_handles": "open a file by its handle",
    "own_environment": "see your environment variables",
    "runners_environment": "read the runner's environment variables",
    "runners_folder": "find the tournament's folder",
    "runners_pipes": "forge results through a worker's pipes",
    "runners_memory": "read the runner's memory",
    "memory_of_others": "read the runner's memory with `process_vm_readv`",
    "descriptors_of_others": "take the runner's open files",
    "signal_runner": "kill its worker or stop the runner",
    "kill": "kill your processes",
    "signal_opponent": "kill its opponent",
    "opponents_pipes": "resign in its opponent's name",
    "opponents_environment": "read its opponent's environment variables",
    "trace": "trace its opponent",
    "others": "list other processes",
    "descriptors": "use an open file of another process",
    "first_process": "read the sandbox's own process",
    "daemon": "leave a process behind after the run",
    "port": "connect to a port or the network",
    "unix_socket": "connect to a socket in the file system",
    "abstract_socket": "connect to an abstract socket",
    "mail_of_audit": "open netlink, AF_ALG or vsock sockets",
    "is_root": "run as root",
    "other_users": "become another user",
    "capabilities": "have capabilities",
    "setuid_programs": "become another user with `su`",
    "set_user_id": "leave a set-user-id program behind",
    "device_files": "create a device",
    "mount_options": "write where set-user-id programs work",
    "namespaces": "create namespaces",
    "namespaces_by_clone": "create namespaces with `clone`",
    "enter_namespaces": "enter your namespaces",
    "mount": "mount a file system",
    "remount": "make read-only files writable",
    "old_calls": "use 32-bit or x32 system calls",
    "limits": "raise its own limits",
    "opponents_limits": "lower its opponent's limits",
    "core_pattern": "set the program that handles crashes",
    "kernel_settings": ("open settings in `/proc` for writing"),
    "release_agent": "change control groups",
    "kernel_memory": "read the kernel's memory",
    "kernel_messages": "read the kernel's messages",
    "kernel_threads_of_code": "load a kernel module",
    "kernel": "use `bpf`, `io_uring` or the kernel's keys",
    "performance_counters": "read the processor's event counters",
    "devices": "see other devices",
    "terminal": "read your terminal",
    "tiocsti": "type at your terminal",
    "clock": "set the machine's clock",
    "machine_name": "see the machine's name",
    "memory": "exceed `memory` in one process",
    "memory_of_all": "exceed `memory` in all processes together",
    "hidden_memory": "hide memory in `memfd` files in sockets",
    "long_pipes": "enlarge pipes",
    "long_sockets": "enlarge socket buffers",
    "pages_in_pipes": "hide memory in pipes with `vmsplice`",
    "pages_of_files_in_pipes": "hide file pages in pipes with `splice`",
    "descriptors_of_threads": "hide open files in threads",
    "descriptors_that_travel": "hide open files in sockets",
    "datagrams": "fill sockets with unread datagrams",
    "locked_memory": "lock more than 64 MiB",
    "waiting_signals": "use up signals and timers",
    "requests_of_all": "use up the machine's `io_setup` requests",
    "terminals": "use up the machine's terminals",
    "shared_memory": "leave shared memory behind",
    "last_to_be_killed": "make the kernel kill other processes first",
    "processes": "run 400 processes",
    "affinity": "compute on other cores",
    "priority": "raise its priority with `nice`",
    "slow_runner": "lower the runner's priority",
    "real_time": "get real-time priority",
    "deadline": "get deadline scheduling",
    "disk_priority": "raise its disk priority",
    "all_disks": "make all disks write with `sync`",
    "core_dump": "leave a core file behind",
    "file_locks": "send signals to another bot by file locks",
    "notices_of_files": "watch a file with `inotify`",
    "page_cache": "see which files are in memory",
    "merged_pages": "read merged memory pages",
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
    "block the arena with a pipe instead of a program": (
        "test_a_pipe_in_a_folder_is_refused_and_waited_for_by_nobody"
    ),
    "fill the disk with deleted files": ("test_files_without_a_name_count_in_a_cache"),
    "fill the disk with its build": "test_a_build_that_fills_the_disk_is_ended",
    "open the folder with all caches": (
        "test_a_cache_is_its_bots_alone_and_no_link_in_it_is_followed"
    ),
    "stop its worker by using up epoll watches": ("test_a_watch_without_room_in_epoll_polls"),
    "weaken its sandbox by its configuration": (
        "test_no_key_of_an_entrants_file_gives_its_bot_more"
    ),
    "change its sandbox by environment variables": (
        "test_a_bots_own_variables_steer_nothing_that_makes_its_sandbox"
    ),
    "make git run its program as you": ("test_what_a_repository_has_git_run_stays_in_the_sandbox"),
    "read another git repository through its own": "test_a_repository_does_not_lead_to_another_one",
    "run its build without its sandbox": "test_a_build_that_reads_another_entrants_folder_fails",
    "hide memory in page tables and pipes": (
        "test_memory_counts_wherever_it_is_held_and_may_be_held_anywhere"
    ),
    "hide memory in files in its folders": "test_files_in_memory_count",
    "compute in children while its opponent thinks": (
        "test_a_bot_whose_processes_compute_on_the_others_turn_is_named_and_stopped"
    ),
    "make its own wait look like a stall of the machine": (
        "test_who_keeps_the_machine_busy_gains_nothing"
    ),
    "compute in short-lived children": ("test_children_that_nobody_waits_for_are_seen_running"),
    "flood the worker with lines": ("test_lines_that_nobody_asked_for_are_soon_a_flood"),
    "compute while it is stopped": (
        "test_what_its_turns_allow_is_no_excess_and_a_bot_that_defies_its_stop_ends"
    ),
    "compute on more cores than `threads`": (
        "test_who_computes_on_more_cores_than_it_may_have_ends"
    ),
    "send signals to another bot by timing": "",
}
"""The other attacks, with the tests that try them; an attack without a test has no entry."""
