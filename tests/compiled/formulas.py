"""Helpers in another file than the laws that use them."""

DENSITY = 1.204


def drag(speed, area):
    return 0.5 * DENSITY * area * speed * abs(speed)


def twice(value):
    return value + value


def of_house(house):
    return house.warmth * house.loss if house.is_open else 0.0


def shouted(value):
    print(value)
    return value


def sure(self):
    # Not in a test module: pytest writes assertions there anew, and what runs is not what stands in the file.
    assert self.x > 0.0
