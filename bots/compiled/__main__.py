"""The command `python -m lath.bots.compiled`, which compiles the searches of bots in advance."""

import sys

from lath.bots.compiled.searches import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
