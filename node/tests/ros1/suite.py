"""The list of tests, in the order in which they are written."""

# Name to (what it does, whether it has a master of its own).
TESTS = {}


def add(group, name, act, own_master=False):
    """A test by the name GROUP.NAME: `act` is called with a `Ros`."""
    TESTS[f"{group}.{name}"] = (act, own_master)


def test(act=None, own_master=False):
    """Adds a function as a test, by the names of its file and its own. `own_master`: it kills the master, or sets what all nodes would see."""
    if act is None:
        return lambda act: test(act, own_master)
    add(act.__module__.rsplit(".", 1)[-1], act.__name__, act, own_master)
    return act
