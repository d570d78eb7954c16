"""The trusted core: what keeps a bot from everything but its own game.

Theory of operation
-------------------

A bot may read Python, the installed packages and its own files, write into its own folder, compute,
and answer through a pipe. `confining.confine` removes everything else in the forked child,
permanently: the process cannot undo it, and all its threads and children inherit it.

No layer is trusted alone; each covers the gaps of others:

- *Resource limits* bound what one process can use: memory, files, file sizes. They do not bound
  what it can reach.
- *A separate user*, which only root can give, owns nothing. It may still read public files, use the
  network and start any number of processes.
- *Landlock* decides which paths can be opened, by any user. It does not cover the network,
  processes, metadata, changes of modes and dates, nor descriptors that are already open, so those
  are closed before.
- *Seccomp* decides which system calls are allowed: no network, no other processes, no tracing, no
  mode changes. It sees numbers but not what a pointer points to, so it cannot distinguish paths.
- *The zygote* (`arena.host.supervisor`) decides on calls that need counting, because they make
  files, threads and processes.
- *Namespaces*, where available, enclose the whole zygote (`namespaces`): no network and no bots of
  other lanes. The machine's files and the bots of the same lane stay in reach.

The order of the steps (`confining.STEPS`, then seccomp) follows from what each needs and removes:

- Steps that open paths come before Landlock.
- The user is changed before the capabilities are dropped.
- The tie to the parent comes after the change of user, which clears it.
- no_new_privs comes before the two layers that require it, Landlock and seccomp.
- Seccomp comes last: it forbids most of the steps before it.

A machine may lack layers; `confining.layers` tests each. Without Landlock bots can read files. If
a machine has neither seccomp nor separate users (`Layers.enough`), no bot runs unless the user
allows it. If a step fails, it raises OSError and no bot runs in that process.

A new step needs its reason beside it, and an attack in `tests/attacks/` that it stops.
"""
