"""The catalogue of attacks: what each is in words, who published it, and where it goes through.

`tests/arena/walls/test_attacks.py` asserts each cell, `docs/attacks.md` shows them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

MODES: Final = ("none", "user", "bwrap", "bwrap-user")
"""Sandboxes: root starts `user` and `bwrap`, an ordinary user `none` and `bwrap-user`."""

NO, YES, NOTICED = "no", "**yes**", "noticed"
"""It is blocked; it is possible, and so not promised; the bot that does it is named or ended."""

SYSTEM = "as the system allows"


class Attack(NamedTuple):
    """What a bot might do, and what comes of it in each of `MODES`."""

    words: str
    none: str
    user: str
    bwrap: str = NO
    bwrap_user: str = NO
    source: str = ""
    """Where it was published, or which part of Linux it is about."""

    test: str = ""
    """Which test tries it, where that is not a function of that name in `attacker.py`."""

    def in_(self, mode: str) -> str:
        """Return what comes of it in one of `MODES`."""
        return str(getattr(self, mode.replace("-", "_")))


WATCHDOG: Final = "tests/arena/referee/test_watchdog.py::"
CONFINED: Final = "tests/arena/tournament/test_confinement.py::"
MINIMUM: Final = "tests/arena/tournament/test_minimum.py::"
REPOSITORIES: Final = "tests/arena/tournament/test_untrusted_repositories.py::"
MISHAPS: Final = "tests/arena/referee/test_mishaps.py::"

CATALOGUE: Final[dict[str, dict[str, Attack]]] = {
    "Files": {
        "secret": Attack("read a file that only the organiser may read", YES, NO),
        "public": Attack("read a file that every user may read, such as another bot", YES, YES),
        "tournament": Attack("rewrite what is stored, when the run is over, too", YES, NO),
        "own_program": Attack("change its own program for the next game", YES, NO),
        "own_interpreter": Attack(
            "overwrite its interpreter, through `/proc/self/exe` or not",
            NO,
            NO,
            source="CVE-2019-5736 (runc)",
        ),
        "leftovers": Attack("leave a file in `/tmp`, `/var/tmp` or `/dev/shm`", YES, YES),
        "disk": Attack("take 300 MB of the disk", YES, YES),
        "long_file": Attack("write a file over 256 MiB", NO, NO),
        "folders_up": Attack(
            "leave its folder by `..` or by links of `/proc`",
            YES,
            YES,
            source="CVE-2024-21626 (runc)",
        ),
        "machine_files": Attack("find files of the machine's settings and services", YES, YES),
        "file_handles": Attack(
            "open a file by its handle", YES, NO, source="open_by_handle_at: Docker, 2014"
        ),
        "links": Attack(
            "be shown a file by a link, a first line or a `pyvenv.cfg` in its own folder",
            YES,
            YES,
            source="CVE-2024-42472 (Flatpak)",
            test=CONFINED + "test_nothing_that_an_entrant_delivers_widens_what_it_sees",
        ),
        "links_in_caches": Attack(
            "have the organiser's cleaning follow a link out of its cache",
            NO,
            NO,
            source="Compiler Explorer #6026 (nsjail)",
            test=CONFINED + "test_a_cache_is_its_bots_alone_and_no_link_in_it_is_followed",
        ),
        "pipes_as_programs": Attack(
            "hold up the organiser by a pipe in place of a program",
            YES,
            YES,
            test=CONFINED + "test_a_pipe_in_a_folder_is_refused_and_waited_for_by_nobody",
        ),
        "unlinked": Attack(
            "fill the disk by files without a name in its cache",
            YES,
            NO,
            NOTICED,
            NOTICED,
            test=WATCHDOG + "test_files_without_a_name_count_in_a_cache",
        ),
        "full_builds": Attack(
            "fill the disk by its build",
            YES,
            NOTICED,
            NOTICED,
            NOTICED,
            test=CONFINED + "test_a_build_that_fills_the_disk_is_ended",
        ),
        "others_caches": Attack(
            "enter the folder of caches",
            YES,
            NO,
            test=CONFINED + "test_a_cache_is_its_bots_alone_and_no_link_in_it_is_followed",
        ),
    },
    "Processes": {
        "own_environment": Attack("find the organiser's variables in its own", NO, NO),
        "runners_environment": Attack("read the variables of runner or worker", NO, NO),
        "runners_folder": Attack("find the tournament by the runner's working folder", NO, NO),
        "runners_pipes": Attack("forge results through a worker's pipes", NO, NO),
        "runners_memory": Attack("read the memory of runner or worker", NO, NO),
        "memory_of_others": Attack(
            "read the memory of runner or worker by `process_vm_readv`", NO, NO
        ),
        "descriptors_of_others": Attack("take open files of runner or worker", NO, NO),
        "signal_runner": Attack("kill its worker when it loses, stop the runner for good", YES, NO),
        "kill": Attack("kill any process of the organiser's", YES, NO),
        "signal_opponent": Attack("kill its opponent", YES, NO),
        "opponents_pipes": Attack("resign in its opponent's name", YES, NO),
        "opponents_environment": Attack("read its opponent's variables", YES, NO),
        "trace": Attack("trace its opponent", SYSTEM, NO),
        "others": Attack("see which other processes there are", YES, YES),
        "descriptors": Attack(
            "find an open file or pipe that is not its own",
            NO,
            NO,
            source="CVE-2024-21626 (runc), CVE-2016-9962 (runc)",
        ),
        "first_process": Attack(
            "learn what the organiser has from the sandbox's own process",
            NO,
            NO,
            source="CVE-2016-9962 (runc)",
        ),
        "daemon": Attack("leave a process that outlives it and its run", NO, NO),
        "epoll": Attack(
            "end its worker by using up what a user may have for epoll",
            NO,
            NO,
            test="tests/arena/referee/test_process.py::test_a_watch_without_room_in_epoll_polls",
        ),
    },
    "Network": {
        "port": Attack("connect to a port of the machine, or to anywhere", YES, YES),
        "unix_socket": Attack("connect to a service by a socket in the file system", YES, YES),
        "abstract_socket": Attack(
            "connect to a service by an abstract socket",
            YES,
            YES,
            source="CVE-2020-15257 (containerd)",
        ),
        "mail_of_audit": Attack(
            "open sockets of other kinds: netlink, packets, AF_ALG, vsock",
            YES,
            YES,
            source="CVE-2022-32250 (netlink), CVE-2020-14386 (packets)",
        ),
    },
    "Rights": {
        "is_root": Attack("run as a user that is root on the machine", NO, NO),
        "other_users": Attack("become another user", NO, NO),
        "capabilities": Attack(
            "have rights of root (capabilities)", NO, NO, source="CVE-2022-24769 (Docker)"
        ),
        "setuid_programs": Attack(
            "gain rights by a program such as `su`", YES, NO, source="CVE-2021-4034 (polkit)"
        ),
        "set_user_id": Attack(
            "leave a program with set-user-id or set-group-id",
            YES,
            NO,
            source="nsjail #283",
        ),
        "device_files": Attack("make a device", NO, NO),
        "mount_options": Attack("write where set-user-id or devices would count", YES, YES),
        "namespaces": Attack(
            "make namespaces of its own", SYSTEM, NO, source="CVE-2022-0185 (Linux)"
        ),
        "namespaces_by_clone": Attack("make namespaces by `clone`", SYSTEM, NO),
        "enter_namespaces": Attack(
            "enter the organiser's namespaces", NO, NO, source="CVE-2022-31214 (Firejail)"
        ),
        "mount": Attack("mount a file system", NO, NO, source="CVE-2022-0185 (Linux)"),
        "remount": Attack("make what it sees writable again", NO, NO),
        "old_calls": Attack(
            "call the system by 32-bit numbers, or those of x32",
            YES,
            NO,
            source="seccomp(2), arch",
        ),
        "limits": Attack("raise its own limits", NO, NO),
        "opponents_limits": Attack("lower its opponent's limits", YES, NO),
        "configurations": Attack(
            "weaken its sandbox by a configuration that it delivers",
            YES,
            NO,
            source="Firejail #7154",
            test=MINIMUM + "test_no_key_of_an_entrants_file_gives_its_bot_more",
        ),
        "variables": Attack(
            "steer by variables of its own what makes its sandbox",
            NO,
            NO,
            source="CVE-2023-4911 (glibc)",
            test=CONFINED + "test_a_bots_own_variables_steer_nothing_that_makes_its_sandbox",
        ),
        "repositories": Attack(
            "have git run a program of its repository as the organiser",
            YES,
            NO,
            source="CVE-2022-24765, CVE-2024-32002 (git)",
            test=REPOSITORIES + "test_what_a_repository_has_git_run_stays_in_the_sandbox",
        ),
        "other_repositories": Attack(
            "be shown another repository by its own",
            YES,
            YES,
            source="CVE-2022-39253 (git)",
            test=REPOSITORIES + "test_a_repository_does_not_lead_to_another_one",
        ),
        "builds": Attack(
            "be built without its sandbox",
            YES,
            NO,
            source="DMOJ judge #318",
            test=CONFINED + "test_a_build_that_reads_another_entrants_folder_fails",
        ),
    },
    "The kernel": {
        "core_pattern": Attack(
            "set the program that the kernel starts after a crash",
            NO,
            NO,
            source="CVE-2022-0492 (cgroups), core_pattern escapes of containers",
        ),
        "kernel_settings": Attack(
            "open any setting of `/proc/sys`, `irq`, `bus`, `fs`, `sysrq-trigger` for writing",
            SYSTEM,
            SYSTEM,
        ),
        "release_agent": Attack(
            "change control groups, or make some",
            NO,
            NO,
            source="CVE-2022-0492 (cgroups), nsjail #199",
        ),
        "kernel_memory": Attack("read the kernel's memory", NO, NO),
        "kernel_messages": Attack("read the kernel's messages", SYSTEM, SYSTEM),
        "kernel_threads_of_code": Attack("load a module, or another kernel", NO, NO),
        "kernel": Attack(
            "use `bpf`, `io_uring`, the kernel's keys",
            SYSTEM,
            NO,
            source="CVE-2021-3490 (bpf), CVE-2022-29582 (io_uring)",
        ),
        "performance_counters": Attack("count events of the processor", SYSTEM, NO),
        "devices": Attack("find devices besides null, zero, full and random numbers", YES, YES),
        "terminal": Attack("read what is typed at the organiser's terminal", NO, NO),
        "tiocsti": Attack(
            "type at the organiser's terminal",
            NO,
            NO,
            source="CVE-2017-5226 (bubblewrap), CVE-2023-28100 (Flatpak)",
        ),
        "clock": Attack("set the machine's clock", NO, NO),
        "machine_name": Attack("learn the machine's name", YES, YES),
    },
    "Memory": {
        "memory": Attack("take more memory than `memory` allows, in one process", NO, NO),
        "memory_of_all": Attack(
            "take more memory than `memory` allows, by all its processes together", NO, NO
        ),
        "hidden_memory": Attack(
            "hold memory in files that no process maps or has open (`memfd` in flight)",
            YES,
            YES,
            source="SCM_RIGHTS in flight: unix(7)",
        ),
        "memory_elsewhere": Attack(
            "hold memory in page tables, pipes, sockets, pages that nobody maps",
            NOTICED,
            NOTICED,
            NOTICED,
            NOTICED,
            test=WATCHDOG + "test_memory_counts_wherever_it_is_held",
        ),
        "scratch_files": Attack(
            "hold memory in files and their names in its folders in memory",
            NO,
            NO,
            NOTICED,
            NOTICED,
            test="tests/arena/walls/test_attacks.py::test_files_in_memory_count",
        ),
        "long_pipes": Attack("make pipes longer", YES, YES),
        "long_sockets": Attack("have more wait in sockets", YES, YES),
        "pages_in_pipes": Attack("hold pages by pipes alone (`vmsplice`)", YES, YES),
        "pages_of_files_in_pipes": Attack(
            "hold pages of files by pipes alone (`splice`)", YES, YES
        ),
        "descriptors_of_threads": Attack(
            "have open files that are in no list of its process", YES, YES
        ),
        "descriptors_that_travel": Attack("have open files travel in sockets", YES, YES),
        "datagrams": Attack("let datagrams of closed sockets pile up", YES, YES),
        "locked_memory": Attack("lock more than 64 MiB in memory", NO, NO),
        "waiting_signals": Attack("let signals and timers pile up", NO, NO),
        "requests_of_all": Attack("use up what all users share: requests of `io_setup`", YES, YES),
        "terminals": Attack("use up what all users share: terminals", YES, YES),
        "shared_memory": Attack(
            "leave shared memory, semaphores or queues of messages behind", YES, NO
        ),
        "last_to_be_killed": Attack("have others killed first where memory is short", NO, NO),
    },
    "Time": {
        "thefts": Attack(
            "compute in children while its opponent thinks",
            NOTICED,
            NOTICED,
            NOTICED,
            NOTICED,
            test=MISHAPS
            + "test_a_bot_whose_processes_compute_on_the_others_turn_is_named_and_stopped",
        ),
        "stalls": Attack(
            "make its own wait for a core count as the machine's",
            NO,
            NO,
            test="tests/arena/referee/test_conversation.py::test_who_keeps_the_machine_busy_gains_nothing",
        ),
        "brief_children": Attack(
            "compute in children that live for milliseconds and that nobody waits for",
            NOTICED,
            NOTICED,
            NOTICED,
            NOTICED,
            test=WATCHDOG + "test_children_that_nobody_waits_for_are_seen_running",
        ),
        "floods": Attack(
            "take the worker's time by lines that nobody asked for",
            NO,
            NO,
            test="tests/arena/referee/test_process.py::test_lines_that_nobody_asked_for_are_soon_a_flood",
        ),
        "defies": Attack(
            "go on computing though it was stopped",
            NOTICED,
            NOTICED,
            NOTICED,
            NOTICED,
            test=WATCHDOG
            + "test_what_its_turns_allow_is_no_excess_and_a_bot_that_defies_its_stop_ends",
        ),
        "processes": Attack("run 400 processes", YES, NO, source="fork bombs"),
        "more_cores": Attack(
            "compute on more cores than it has asked for",
            YES,
            NOTICED,
            NOTICED,
            NOTICED,
            test=WATCHDOG + "test_who_computes_on_more_cores_than_it_may_have_ends",
        ),
        "affinity": Attack("compute on other cores than its game's", YES, YES),
        "priority": Attack("run before others, by its niceness", NO, NO),
        "slow_runner": Attack("change the niceness of runner or worker", YES, NO),
        "real_time": Attack("run before others, in real time", NO, NO),
        "deadline": Attack("run before others, by a deadline", NO, NO),
        "disk_priority": Attack("read the disk before others", NO, NO),
        "all_disks": Attack("have all disks write at once (`sync`)", YES, YES),
        "core_dump": Attack("leave a core file", NO, NO),
    },
    "Channels between bots": {
        "file_locks": Attack("tell each other something by locks and leases of a file", YES, YES),
        "notices_of_files": Attack("hear when others read a file (`inotify`)", YES, YES),
        "page_cache": Attack(
            "learn, or change, which files are in memory",
            YES,
            YES,
            source="Page cache attacks, Gruss and others, 2019 (CVE-2019-5489)",
        ),
        "merged_pages": Attack(
            "learn from merged pages what others hold",
            YES,
            YES,
            source="Memory deduplication attacks, Suzaki and others, 2011",
        ),
        "statistics_of_all": Attack(
            "read how busy the machine is (`/proc/stat`, `meminfo`, `sysinfo`)",
            YES,
            YES,
            YES,
            YES,
        ),
        "shared_core": Attack(
            "tell each other something by time taken from a core, cache or disk",
            YES,
            YES,
            YES,
            YES,
            test="none: nobody can promise that",
        ),
    },
}
"""By the name of the function in `attacker.py` and `attacker_escapes.py`, in groups."""

ATTACKS: Final = {name: each for group in CATALOGUE.values() for name, each in group.items()}

TRIED: Final = [name for name, attack in ATTACKS.items() if not attack.test]
"""Those that the attacker tries."""


def table() -> str:
    """Return the catalogue in Markdown."""
    lines = []
    for title, attacks in CATALOGUE.items():
        lines += [
            f"### {title}",
            "",
            "| a bot can | `none` | `user` | `bwrap`, by root | `bwrap`, by a user | source |",
            "| --- | --- | --- | --- | --- | --- |",
            *(
                f"| {attack.words} | {' | '.join(map(attack.in_, MODES))} | {attack.source} |"
                for attack in attacks.values()
            ),
            "",
        ]
    return "\n".join(lines)
