"""`python -m tl2hip`: the command line."""

import sys

from tl2hip.cli import main

if __name__ == "__main__":
    sys.exit(main())
