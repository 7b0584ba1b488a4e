//! 08xx: lints, that is what is allowed but suspicious.

use super::entry::{Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        801,
        "clause that no rule cites",
        "A clause that is enforced is cited where it is enforced, so that refusals can name it and coverage \
         can count it. A clause that no machine can enforce is `kind: note`.",
    ),
    entry(
        802,
        "name that is not used",
        "A parameter, local or loop variable has no use. If it must be there, let its name begin with `_`.",
    ),
    entry(
        803,
        "value that is not used",
        "A statement computes a value and drops it. Perhaps a verb is missing.",
    ),
    entry(
        804,
        "number without a name",
        "Figures stand in tables and in `setup.yaml`, where a proofreader finds each in one place with its \
         clause. Rules use them by name; only 0, 1 and 2 need none.",
    ),
];
