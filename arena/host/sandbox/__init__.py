"""The trusted core: what keeps a bot from everything but its own game.

Theory of operation
-------------------
A bot is a stranger's program. It may read Python, the installed packages and its own files, write
into its own folder, compute, and answer on one socket. Everything else is taken from it in the
child of the zygote's fork, by `confining.confine`, once and for good: nothing here can be undone by
the process that it was done to, and all of it holds for the threads and children it starts.

No layer is trusted alone; each covers what another leaves open:

- *Resource limits* bound what one process can use: memory, files, their size. They do not bound
  what it can reach.
- *A user of its own*, which only root can give, owns nothing: by it the kernel keeps the bot from
  other processes and from files that are not everybody's.
- *Landlock* decides which paths can be opened at all, by whatever user. It does not govern
  metadata, nor descriptors that are open already: so those are closed before.
- *Seccomp* decides which calls the kernel listens to: no network, no other processes, no tracing,
  no changes of mode. It sees numbers, never what a pointer points to, so it cannot tell paths
  apart; that is Landlock's part.
- *The zygote* (`arena.host.supervisor`) answers the calls that seccomp can neither allow nor refuse
  unseen: those that make files, threads and processes, which it counts.
- *Namespaces*, where they can be had, are put around the whole zygote (`namespaces`).

The order of the steps (`confining.STEPS`, then seccomp) follows from what each step needs and takes
away:

- What opens paths comes before Landlock.
- The user is changed before the capabilities go.
- The tie to the parent comes after the change of user, as that clears it.
- no_new_privs comes before the two layers that ask for it.
- Seccomp comes last, as it forbids most of the steps before it.

A machine need not have every layer: `confining.layers` finds out by trying. Without Landlock bots
can read; with neither seccomp nor users of their own no bot is run (`Layers.enough`), unless that
is asked for. A step that fails raises OSError: then no bot runs in that process.

What each layer alone would let through
---------------------------------------
- Only resource limits: every file of the user, the network, other bots' processes.
- Only a user of its own: files that all may read, the network, as many processes as it likes.
- Only Landlock: the network, other processes, descriptors, and changes of modes and dates.
- Only seccomp: every file that may be opened, as it cannot tell paths apart.
- Only namespaces: the machine's files, and the bots of the same lane.

The modules
-----------
- `confining`: the steps in their order, and which layers this machine has.
- `landlock`: the rules on files, and which files they are.
- `seccomp`: the filter of system calls.
- `namespaces`: the second wall around a lane, mounts, and ways through private folders.
- `scratch`: how much may lie in a bot's folder, where no file system of its own bounds it.
- `quarantine`: the same for a process of Arena's own that reads strangers' files.
- `kernel`: system calls that Python has no name for.

A new step has its reason beside it, and an attack in `tests/attacks/` that it stops.
"""
