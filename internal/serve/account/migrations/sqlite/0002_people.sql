-- People and what they do: accounts, sessions, tokens, counters, usage, audit.
-- Times are Unix nanoseconds unless a comment says otherwise.

-- A random value that makes hashes of addresses useless elsewhere.
CREATE TABLE pepper (value BLOB NOT NULL) STRICT;
INSERT INTO pepper VALUES (randomblob(32));

CREATE TABLE accounts (
    seq      INTEGER PRIMARY KEY,
    id       TEXT    NOT NULL UNIQUE,
    email    TEXT    NOT NULL UNIQUE, -- normalized
    password TEXT    NOT NULL,        -- argon2id, PHC string
    verified INTEGER NOT NULL,
    plan     TEXT    NOT NULL,
    created  INTEGER NOT NULL
) STRICT;

ALTER TABLE keys ADD COLUMN account INTEGER REFERENCES accounts (seq);
CREATE INDEX keys_account ON keys (account) WHERE account IS NOT NULL;

-- An allowance belongs to an owner: the account of a key, or the key itself
-- when it has none.
CREATE TABLE spent_by_owner (
    owner  TEXT    NOT NULL,
    period TEXT    NOT NULL,          -- day or month
    start  INTEGER NOT NULL,          -- Unix seconds of its beginning
    calls  INTEGER NOT NULL,
    PRIMARY KEY (owner, period, start)
) STRICT, WITHOUT ROWID;
INSERT INTO spent_by_owner SELECT keys.id, spent.window, spent.start, spent.calls FROM spent JOIN keys ON keys.seq = spent.key;
DROP TABLE spent;
ALTER TABLE spent_by_owner RENAME TO spent;
CREATE INDEX spent_start ON spent (start);

CREATE TABLE usage (
    key   INTEGER NOT NULL REFERENCES keys (seq) ON DELETE CASCADE,
    hour  INTEGER NOT NULL,           -- Unix seconds of its beginning
    calls INTEGER NOT NULL,
    PRIMARY KEY (key, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_hour ON usage (hour);

CREATE TABLE sessions (
    hash    BLOB    PRIMARY KEY,      -- SHA-256 of the secret
    account INTEGER NOT NULL REFERENCES accounts (seq),
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_expires ON sessions (expires);
CREATE INDEX sessions_account ON sessions (account);

CREATE TABLE tokens (
    hash    BLOB    PRIMARY KEY,      -- SHA-256 of the secret
    account INTEGER NOT NULL REFERENCES accounts (seq),
    purpose TEXT    NOT NULL,         -- verify or reset
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_expires ON tokens (expires);
CREATE INDEX tokens_account ON tokens (account);

-- What was tried how often since start, by whom (a hash).
CREATE TABLE tries (
    kind  TEXT    NOT NULL,
    who   BLOB    NOT NULL,
    start INTEGER NOT NULL,
    made  INTEGER NOT NULL,
    PRIMARY KEY (kind, who)
) STRICT, WITHOUT ROWID;
CREATE INDEX tries_start ON tries (start);

CREATE TABLE nonces (
    hash  BLOB    PRIMARY KEY,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX nonces_until ON nonces (until);

CREATE TABLE screens (
    owner TEXT    PRIMARY KEY,
    at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    actor   TEXT    NOT NULL,
    key     TEXT    NOT NULL,         -- the ID of a key, or empty
    address BLOB    NOT NULL,         -- a hash, or empty
    details TEXT    NOT NULL
) STRICT;
CREATE INDEX events_key ON events (key, seq) WHERE key <> '';
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_kept BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
