"""`python -m eventide`, the same as `eventide`."""

import sys

from eventide.cli import main

sys.exit(main())
