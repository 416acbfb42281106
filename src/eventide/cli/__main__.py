"""`python -m eventide.cli`."""

import sys

from eventide.cli.commands import main

sys.exit(main())
