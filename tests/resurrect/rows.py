"""The rows of the tables of JAX's names, by what they say."""

from callbridge.resurrect._names import _members_table, _table
from callbridge.resurrect._names._row import From

AT_ONCE = [row for row in _table.ROWS if row.at_once]
WRAPPED = [row for row in _table.ROWS if row.wrapped_by is not None]
# What came, and is lent to older releases; what is wrapped there.
LENT = [row for row in _table.ROWS if row.came]
WRAPPED_OLDER = [row for row in WRAPPED if row.wrapped_until]

_members = _members_table.ROWS
LOST_PARAMETERS = [row for row in _members if row.adapters and row.gone]
LENT_PARAMETERS = [row for row in _members if row.adapters and row.came]
BY_POSITION = [row for row in _members if row.wrapped_by and row.gone and not row.asks_first]
FORMS = [row for row in _members if row.asks_first]
LISTS = [row for row in FORMS if hasattr(row.wrapped_by, "arrays")]
LOST_ATTRIBUTES = [row for row in _members if row.members and row.gone]
LENT_ATTRIBUTES = [row for row in _members if row.members and row.came]
# Parameters that cannot be restored: the reason and the parameters, by function or class.
REFUSED_PARAMETERS = {
    given["name"]: (given["reason"], given["parameters"])
    for given in (row.wrapped_by.keywords for row in _members if row.wrapped_by and not row.gone)
}


def modules_of(stand_ins):
    """The modules that what stands for names is looked for in."""
    return [module for found in stand_ins if isinstance(found, From) for module in found.modules]


def paths(rows):
    """By function, member or name, with its module or class: the rows."""
    found = {}
    for row in rows:
        for name in row.names:
            found.setdefault((row.module, name), []).append(row)
    return found


def defaults(adapter):
    """The parameter that an adapter of at_default() takes, and its default; None of others."""
    return getattr(adapter, "default", None)
