-- Lists of grantees that people keep, and the screenings of a list. Times are Unix nanoseconds.
CREATE TABLE lists (
    seq          INTEGER PRIMARY KEY,
    id           TEXT    NOT NULL UNIQUE,
    account      INTEGER NOT NULL REFERENCES accounts (seq) ON DELETE CASCADE,
    name         TEXT    NOT NULL,
    created      INTEGER NOT NULL,
    changed      INTEGER NOT NULL,        -- its name, its settings or its members
    keep_history INTEGER NOT NULL DEFAULT 0,
    next         INTEGER NOT NULL DEFAULT 1 -- position of the next member; never used twice
) STRICT;
CREATE INDEX lists_account ON lists (account);

CREATE TABLE list_members (
    list     INTEGER NOT NULL REFERENCES lists (seq) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    ein      TEXT    NOT NULL,            -- nine digits, or empty
    name     TEXT    NOT NULL,
    note     TEXT    NOT NULL,
    PRIMARY KEY (list, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX list_members_ein ON list_members (list, ein) WHERE ein <> '';
CREATE INDEX list_members_of_ein ON list_members (ein) WHERE ein <> '';

-- A screening of a list. Its reports are in list_reports, in parts, so that a long list is
-- never in memory at once. Runs that have expired are removed.
CREATE TABLE list_runs (
    seq      INTEGER PRIMARY KEY,
    id       TEXT    NOT NULL UNIQUE,
    list     INTEGER NOT NULL REFERENCES lists (seq) ON DELETE CASCADE,
    started  INTEGER NOT NULL,
    ended    INTEGER NOT NULL,            -- 0 while members are left to screen
    expires  INTEGER NOT NULL,
    members  INTEGER NOT NULL,            -- of the list when it started
    screened INTEGER NOT NULL,
    reached  INTEGER NOT NULL,            -- position of the last member that was screened
    dataset  TEXT    NOT NULL,            -- version
    summary  TEXT    NOT NULL             -- JSON: dates of the compliance lists, and counts
) STRICT;
CREATE INDEX list_runs_list ON list_runs (list);
CREATE INDEX list_runs_expires ON list_runs (expires);

CREATE TABLE list_reports (
    run     INTEGER NOT NULL REFERENCES list_runs (seq) ON DELETE CASCADE,
    part    INTEGER NOT NULL,
    reports BLOB    NOT NULL,             -- compressed JSON
    PRIMARY KEY (run, part)
) STRICT;
