"""What runs inside the sandbox: the zygotes, the confinement of their forks, and the child's loop.

The child's zygote sees this package and numpy, nothing else of the project; so nothing here may import
the rest of `grader`.
"""

# Of the control socket between worker and zygote.
MESSAGE_BYTES = 65_536
MAX_DESCRIPTORS = 32

# With this exit code a child ends that has no memory left to read a call's inputs into.
OUT_OF_MEMORY = 97
