"""Components and what they declare: states, computed values, references, branches of laws."""
