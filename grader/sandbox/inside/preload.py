"""What a zygote imports before it forks."""

from __future__ import annotations

# So that a job pays nothing for what most import; more would make every fork dearer.
COMMON = """
    numpy.linalg numpy.fft numpy.random numpy.lib.stride_tricks
    __future__ abc collections contextlib copy dataclasses enum functools hashlib heapq inspect io itertools json
    linecache math numbers operator random re string textwrap time traceback types typing unicodedata warnings
""".split()

# Where a fork can open no file, what is not there by now will never be.
REST = """
    numpy.char numpy.dtypes numpy.exceptions numpy.lib.recfunctions numpy.ma numpy.polynomial numpy.rec numpy.strings
    numpy.testing numpy.typing
    argparse array ast base64 bisect calendar cmath codecs colorsys contextvars csv ctypes datetime decimal difflib
    dis doctest errno fnmatch fractions gc getopt glob graphlib gzip hmac html keyword locale logging mmap optparse
    os pathlib pickle platform pprint queue reprlib secrets select shlex shutil signal statistics struct subprocess
    symtable sysconfig tempfile threading timeit token tokenize tracemalloc unittest uuid weakref zlib
""".split()
