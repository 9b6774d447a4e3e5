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
    "secret": "read a file that only the organiser may read",
    "public": "read a file that every user may read, such as another bot",
    "tournament": "rewrite stored results, even after the run",
    "own_program": "change its own program for the next game",
    "own_interpreter": "overwrite its interpreter, through `/proc/self/exe` or not",
    "leftovers": "leave a file in `/tmp`, `/var/tmp` or `/dev/shm`",
    "disk": "take 300 MB of the disk",
    "long_file": "write a file over 256 MiB",
    "folders_up": "leave its folder by `..` or by links of `/proc`",
    "machine_files": "find files of the machine's settings and services",
    "file_handles": "open a file by its handle",
    "own_environment": "find the organiser's variables among its own",
    "runners_environment": "read the variables of runner or worker",
    "runners_folder": "find the tournament by the runner's working folder",
    "runners_pipes": "forge results through a worker's pipes",
    "runners_memory": "read the memory of runner or worker",
    "memory_of_others": "read the memory of runner or worker by `process_vm_readv`",
    "descriptors_of_others": "take open files of runner or worker",
    "signal_runner": "kill its worker when it loses, stop the runner for good",
    "kill": "kill any process of the organiser's",
    "signal_opponent": "kill its opponent",
    "opponents_pipes": "resign in its opponent's name",
    "opponents_environment": "read its opponent's variables",
    "trace": "trace its opponent",
    "others": "see which other processes there are",
    "descriptors": "find an open file or pipe that is not its own",
    "first_process": "read the organiser's data in the sandbox's own process",
    "daemon": "leave a process that outlives it and its run",
    "port": "connect to a port of the machine, or to anywhere",
    "unix_socket": "connect to a service by a socket in the file system",
    "abstract_socket": "connect to a service by an abstract socket",
    "mail_of_audit": "open sockets of other kinds: netlink, packets, AF_ALG, vsock",
    "is_root": "run as a user that is root on the machine",
    "other_users": "become another user",
    "capabilities": "have rights of root (capabilities)",
    "setuid_programs": "gain rights by a program such as `su`",
    "set_user_id": "leave a program with set-user-id or set-group-id",
    "device_files": "make a device",
    "mount_options": "write where set-user-id or devices take effect",
    "namespaces": "make namespaces of its own",
    "namespaces_by_clone": "make namespaces by `clone`",
    "enter_namespaces": "enter the organiser's namespaces",
    "mount": "mount a file system",
    "remount": "make read-only files writable again",
    "old_calls": "call the system by 32-bit numbers, or those of x32",
    "limits": "raise its own limits",
    "opponents_limits": "lower its opponent's limits",
    "core_pattern": "set the program that the kernel starts after a crash",
    "kernel_settings": (
        "open any setting of `/proc/sys`, `irq`, `bus`, `fs`, `sysrq-trigger` for writing"
    ),
    "release_agent": "change control groups, or make some",
    "kernel_memory": "read the kernel's memory",
    "kernel_messages": "read the kernel's messages",
    "kernel_threads_of_code": "load a module, or another kernel",
    "kernel": "use `bpf`, `io_uring`, the kernel's keys",
    "performance_counters": "count events of the processor",
    "devices": "find devices besides null, zero, full and random numbers",
    "terminal": "read what is typed at the organiser's terminal",
    "tiocsti": "type at the organiser's terminal",
    "clock": "set the machine's clock",
    "machine_name": "learn the machine's name",
    "memory": "take more memory than `memory` allows, in one process",
    "memory_of_all": "take more memory than `memory` allows, by all its processes together",
    "hidden_memory": "hold memory in files that no process maps or has open (`memfd` in flight)",
    "long_pipes": "make pipes longer",
    "long_sockets": "hold more data in sockets",
    "pages_in_pipes": "hold pages by pipes alone (`vmsplice`)",
    "pages_of_files_in_pipes": "hold pages of files by pipes alone (`splice`)",
    "descriptors_of_threads": "hold open files outside the list of its process",
    "descriptors_that_travel": "hold open files in sockets",
    "datagrams": "let datagrams of closed sockets pile up",
    "locked_memory": "lock more than 64 MiB in memory",
    "waiting_signals": "let signals and timers pile up",
    "requests_of_all": "use up what all users share: requests of `io_setup`",
    "terminals": "use up what all users share: terminals",
    "shared_memory": "leave shared memory, semaphores or queues of messages behind",
    "last_to_be_killed": "make the system kill others first when memory is short",
    "processes": "run 400 processes",
    "affinity": "compute on other cores than its game's",
    "priority": "run before others, by its niceness",
    "slow_runner": "change the niceness of runner or worker",
    "real_time": "run before others, in real time",
    "deadline": "run before others, by a deadline",
    "disk_priority": "read the disk before others",
    "all_disks": "make all disks write at once (`sync`)",
    "core_dump": "leave a core file",
    "file_locks": "signal each other by locks and leases of a file",
    "notices_of_files": "notice when others read a file (`inotify`)",
    "page_cache": "learn, or change, which files are in memory",
    "merged_pages": "learn from merged pages what others hold",
    "statistics_of_all": "read how busy the machine is (`/proc/stat`, `meminfo`, `sysinfo`)",
}
"""The attacks of the attacker: the function's name, and the words of the document."""

ELSEWHERE: Final = {
    "read a file through a link, a first line or a `pyvenv.cfg` in its own folder": (
        "test_nothing_that_an_entrant_delivers_widens_what_it_sees"
    ),
    "make the arena's clean-up follow a link out of its cache": (
        "test_a_cache_is_its_bots_alone_and_no_link_in_it_is_followed"
    ),
    "block the arena with a pipe in place of a program": (
        "test_a_pipe_in_a_folder_is_refused_and_waited_for_by_nobody"
    ),
    "fill the disk with unnamed files in its cache": ("test_files_without_a_name_count_in_a_cache"),
    "fill the disk with its build": "test_a_build_that_fills_the_disk_is_ended",
    "enter the folder of caches": "test_a_cache_is_its_bots_alone_and_no_link_in_it_is_followed",
    "end its worker by using up the user's epoll watches": (
        "test_a_watch_without_room_in_epoll_polls"
    ),
    "weaken its sandbox by a configuration in its folder": (
        "test_no_key_of_an_entrants_file_gives_its_bot_more"
    ),
    "influence the start of its sandbox by its variables": (
        "test_a_bots_own_variables_steer_nothing_that_makes_its_sandbox"
    ),
    "make git run a program of its repository as the organiser": (
        "test_what_a_repository_has_git_run_stays_in_the_sandbox"
    ),
    "read another repository through its own": "test_a_repository_does_not_lead_to_another_one",
    "run its build without its sandbox": "test_a_build_that_reads_another_entrants_folder_fails",
    "hold memory in page tables, pipes, sockets, unmapped pages": (
        "test_memory_counts_wherever_it_is_held_and_may_be_held_anywhere"
    ),
    "hold memory in files and their names in its folders in memory": "test_files_in_memory_count",
    "compute in children while its opponent thinks": (
        "test_a_bot_whose_processes_compute_on_the_others_turn_is_named_and_stopped"
    ),
    "blame the machine for its own wait for a core": (
        "test_who_keeps_the_machine_busy_gains_nothing"
    ),
    "compute in children that live for milliseconds, without a waiting parent": (
        "test_children_that_nobody_waits_for_are_seen_running"
    ),
    "take the worker's time with unrequested lines": (
        "test_lines_that_nobody_asked_for_are_soon_a_flood"
    ),
    "compute while it is stopped": (
        "test_what_its_turns_allow_is_no_excess_and_a_bot_that_defies_its_stop_ends"
    ),
    "compute on more cores than `threads`": (
        "test_who_computes_on_more_cores_than_it_may_have_ends"
    ),
    "signal each other by timing on a core, cache or disk": "",
}
"""The other attacks, with the tests that try them; an attack without a test has no entry."""
