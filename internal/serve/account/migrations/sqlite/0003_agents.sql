-- Keys of agents: a row of keys with plan 'agent', and this beside it.
CREATE TABLE agents (
    key          INTEGER PRIMARY KEY REFERENCES keys (seq) ON DELETE CASCADE,
    tier         TEXT    NOT NULL,
    purpose      TEXT    NOT NULL,
    source       TEXT    NOT NULL,
    thumbprint   TEXT    NOT NULL,    -- of the keypair; empty for anonymous keys
    host         TEXT    NOT NULL,    -- of the signature agent
    status       TEXT    NOT NULL,    -- locked, unlocked or spent
    expires      INTEGER NOT NULL,    -- Unix nanoseconds, as all times here
    allowance    INTEGER NOT NULL,
    remaining    INTEGER NOT NULL,
    challenge    INTEGER NOT NULL,    -- its number; 0 before the first
    dataset      TEXT    NOT NULL,
    params       TEXT    NOT NULL,    -- JSON that only its author reads
    salt         BLOB    NOT NULL,
    answers      TEXT    NOT NULL,    -- JSON: per question, hashes of what is accepted
    calls        TEXT    NOT NULL,    -- JSON: the calls a locked key may make
    made         INTEGER NOT NULL,    -- how many of them it made
    attempts     INTEGER NOT NULL,
    next_allowed INTEGER NOT NULL,
    drawn        INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX agents_thumbprint ON agents (thumbprint, tier) WHERE thumbprint <> '';
CREATE INDEX agents_expires ON agents (expires);
