"""The trusted core: what keeps a bot from everything but its own game.

Theory of operation
-------------------

A bot is an untrusted program. It may read Python, the installed packages and its own files, write
into its own folder, compute, and answer through a pipe. `confining.confine` removes everything else
in the forked child, permanently: the process cannot undo it, and all its threads and children
inherit it.

No layer is trusted alone; each covers the gaps of others:

- *Resource limits* bound what one process can use: memory, files, file sizes. They do not bound
  what it can reach.
- *A separate user*, which only root can give, owns nothing. The kernel keeps it from other
  processes and from files that are not public.
- *Landlock* decides which paths can be opened, by any user. It does not cover metadata, nor
  descriptors that are already open, so those are closed before.
- *Seccomp* decides which system calls are allowed: no network, no other processes, no tracing, no
  mode changes. It sees numbers but not what a pointer points to, so it cannot distinguish paths:
  Landlock does.
- *The zygote* (`arena.host.supervisor`) decides on calls that need counting, because they make
  files, threads and processes.
- *Namespaces*, where available, enclose the whole zygote (`namespaces`).

The order of the steps (`confining.STEPS`, then seccomp) follows from what each needs and removes:

- Steps that open paths come before Landlock.
- The user is changed before the capabilities are dropped.
- The tie to the parent comes after the change of user, which clears it.
- no_new_privs comes before the two layers that require it, Landlock and seccomp.
- Seccomp comes last: it forbids most of the steps before it.

A machine may lack layers; `confining.layers` tests each. Without Landlock bots can read files. If a
machine has neither seccomp nor separate users (`Layers.enough`), no bot runs unless the user allows
it. If a step fails, it raises OSError and no bot runs in that process.

What a bot could still reach with one layer alone
-------------------------------------------------

- Only resource limits: every file of the user, the network, other bots' processes.
- Only a separate user: public files, the network, any number of processes.
- Only Landlock: the network, other processes, open descriptors, changes of modes and dates.
- Only seccomp: every file that may be opened, because it cannot distinguish paths.
- Only namespaces: the machine's files, and the bots of the same lane.

The modules
-----------

- `confining`: the steps in their order, and which layers this machine has.
- `landlock`: the rules on files, and which files they are.
- `seccomp`: the filter of system calls.
- `namespaces`: the second wall around a lane, mounts, and paths through private folders.
- `scratch`: the quota of a bot's folder that is not a separate file system.
- `quarantine`: confinement of a process of Arena's own that reads untrusted files.
- `kernel`: system calls that Python does not offer.

A new step needs its reason beside it, and an attack in `tests/attacks/` that it stops.
"""
