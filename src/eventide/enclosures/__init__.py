"""What the stepper is told of a condition, so that it can prove it false over a part of a step.

May import: native, engine. In: operands of a kernel, as its instructions are written. Out: the words by which
`engine/taylor_models.py` encloses each comparison, and how these are joined. What cannot be told is None, and nothing
is proved of it.

guard_expressions   how a number moves within a step
trees               the comparisons of which a Boolean is joined
certificate         both as words, and the operands that stand still
"""
