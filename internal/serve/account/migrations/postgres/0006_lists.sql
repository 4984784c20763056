-- Lists of grantees that people keep, and the screenings of a list. Times are Unix nanoseconds.
CREATE TABLE lists (
    seq          BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    id           TEXT   NOT NULL UNIQUE,
    account      BIGINT NOT NULL REFERENCES accounts (seq) ON DELETE CASCADE,
    name         TEXT   NOT NULL,
    created      BIGINT NOT NULL,
    changed      BIGINT NOT NULL,        -- its name, its settings or its members
    keep_history BIGINT NOT NULL DEFAULT 0,
    next         BIGINT NOT NULL DEFAULT 1 -- position of the next member; never used twice
);
CREATE INDEX lists_account ON lists (account);

CREATE TABLE list_members (
    list     BIGINT NOT NULL REFERENCES lists (seq) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    ein      TEXT   NOT NULL,            -- nine digits, or empty
    name     TEXT   NOT NULL,
    note     TEXT   NOT NULL,
    PRIMARY KEY (list, position)
);
CREATE UNIQUE INDEX list_members_ein ON list_members (list, ein) WHERE ein <> '';
CREATE INDEX list_members_of_ein ON list_members (ein) WHERE ein <> '';

-- A screening of a list. Its reports are in list_reports, in parts, so that a long list is
-- never in memory at once. Runs that have expired are removed.
CREATE TABLE list_runs (
    seq      BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    id       TEXT   NOT NULL UNIQUE,
    list     BIGINT NOT NULL REFERENCES lists (seq) ON DELETE CASCADE,
    started  BIGINT NOT NULL,
    ended    BIGINT NOT NULL,            -- 0 while members are left to screen
    expires  BIGINT NOT NULL,
    members  BIGINT NOT NULL,            -- of the list when it started
    screened BIGINT NOT NULL,
    reached  BIGINT NOT NULL,            -- position of the last member that was screened
    dataset  TEXT   NOT NULL,            -- version
    summary  TEXT   NOT NULL             -- JSON: dates of the compliance lists, and counts
);
CREATE INDEX list_runs_list ON list_runs (list);
CREATE INDEX list_runs_expires ON list_runs (expires);

CREATE TABLE list_reports (
    run     BIGINT NOT NULL REFERENCES list_runs (seq) ON DELETE CASCADE,
    part    BIGINT NOT NULL,
    reports BYTEA  NOT NULL,             -- compressed JSON
    PRIMARY KEY (run, part)
);
