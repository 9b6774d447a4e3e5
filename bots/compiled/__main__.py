"""The command `python -m lath.bots.compiled`: it compiles ahead what bots search by."""

import sys

from lath.bots.compiled.searches import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
