"""Resources and levels that are away with the processes that use them, and what can be read of them meanwhile."""
