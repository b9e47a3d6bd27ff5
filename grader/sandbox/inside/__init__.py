"""What runs inside the sandbox: the zygotes, the confinement of their forks, and the child's loop.

The child's zygote sees this package and numpy, nothing else of the project; so nothing here may import
the rest of `grader`.
"""

# The libraries of arrays, by the names that they are imported by: `devices` has what they can do.
NUMPY, CUPY, STRICT = "numpy", "cupy", "array_api_strict"

# Of the control socket between worker and zygote.
MESSAGE_BYTES = 65_536
MAX_DESCRIPTORS = 32

# With this exit code a child ends that has no memory left to read a call's inputs into.
OUT_OF_MEMORY = 97

# With this one where the device that it is to compute on is not to be had.
NO_DEVICE = 98
