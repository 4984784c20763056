-- The same tables as the SQLite store, and one more: commits. Times are Unix
-- nanoseconds unless a comment says otherwise; truth values are 0 and 1, so
-- that both stores are asked with the same words.

-- One row for each transaction that wrote, so that after a lost connection it
-- can be known whether the transaction was committed.
CREATE TABLE commits (
    id BYTEA       PRIMARY KEY,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX commits_at ON commits (at);

-- A random value that makes hashes of addresses useless elsewhere.
CREATE TABLE pepper (value BYTEA NOT NULL);
INSERT INTO pepper VALUES (sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));

CREATE TABLE accounts (
    seq      BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    id       TEXT   NOT NULL UNIQUE,
    email    TEXT   NOT NULL UNIQUE,  -- normalized
    password TEXT   NOT NULL,         -- argon2id, PHC string
    verified BIGINT NOT NULL,
    plan     TEXT   NOT NULL,
    created  BIGINT NOT NULL
);

CREATE TABLE keys (
    seq      BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    id       TEXT   NOT NULL UNIQUE,
    hash     BYTEA  NOT NULL UNIQUE,  -- SHA-256 of the key
    plan     TEXT   NOT NULL,
    email    TEXT   NOT NULL,
    label    TEXT   NOT NULL,
    active   BIGINT NOT NULL,
    created  BIGINT NOT NULL,         -- Unix seconds
    rotated  BIGINT NOT NULL,         -- Unix seconds
    account  BIGINT REFERENCES accounts (seq)
);
CREATE INDEX keys_account ON keys (account) WHERE account IS NOT NULL;

-- An allowance belongs to an owner: the account of a key, or the key itself
-- when it has none.
CREATE TABLE spent (
    owner  TEXT   NOT NULL,
    period TEXT   NOT NULL,           -- day or month
    start  BIGINT NOT NULL,           -- Unix seconds of its beginning
    calls  BIGINT NOT NULL,
    PRIMARY KEY (owner, period, start)
) WITH (fillfactor = 50);             -- room to change a row where it is

CREATE TABLE usage (
    key   BIGINT NOT NULL REFERENCES keys (seq) ON DELETE CASCADE,
    hour  BIGINT NOT NULL,            -- Unix seconds of its beginning
    calls BIGINT NOT NULL,
    PRIMARY KEY (key, hour)
) WITH (fillfactor = 50);
CREATE INDEX usage_hour ON usage (hour);
CREATE INDEX spent_start ON spent (start);

CREATE TABLE sessions (
    hash    BYTEA  PRIMARY KEY,       -- SHA-256 of the secret
    account BIGINT NOT NULL REFERENCES accounts (seq),
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL
);
CREATE INDEX sessions_expires ON sessions (expires);
CREATE INDEX sessions_account ON sessions (account);

CREATE TABLE tokens (
    hash    BYTEA  PRIMARY KEY,       -- SHA-256 of the secret
    account BIGINT NOT NULL REFERENCES accounts (seq),
    purpose TEXT   NOT NULL,          -- verify or reset
    expires BIGINT NOT NULL
);
CREATE INDEX tokens_expires ON tokens (expires);
CREATE INDEX tokens_account ON tokens (account);

-- What was tried how often since start, by whom (a hash).
CREATE TABLE tries (
    kind  TEXT   NOT NULL,
    who   BYTEA  NOT NULL,
    start BIGINT NOT NULL,
    made  BIGINT NOT NULL,
    PRIMARY KEY (kind, who)
);
CREATE INDEX tries_start ON tries (start);

CREATE TABLE nonces (
    hash  BYTEA  PRIMARY KEY,
    until BIGINT NOT NULL
);
CREATE INDEX nonces_until ON nonces (until);

CREATE TABLE screens (
    owner TEXT   PRIMARY KEY,
    at    BIGINT NOT NULL
);

CREATE TABLE events (
    seq     BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at      BIGINT NOT NULL,
    kind    TEXT   NOT NULL,
    actor   TEXT   NOT NULL,
    key     TEXT   NOT NULL,          -- the ID of a key, or empty
    address BYTEA  NOT NULL,          -- a hash, or empty
    details TEXT   NOT NULL
);
CREATE INDEX events_key ON events (key, seq) WHERE key <> '';
CREATE FUNCTION events_stay() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'events are never changed or removed'; END $$;
CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_stay();

-- Keys of agents: a row of keys with plan 'agent', and this beside it.
CREATE TABLE agents (
    key          BIGINT PRIMARY KEY REFERENCES keys (seq) ON DELETE CASCADE,
    tier         TEXT   NOT NULL,
    purpose      TEXT   NOT NULL,
    source       TEXT   NOT NULL,
    thumbprint   TEXT   NOT NULL,     -- of the keypair; empty for anonymous keys
    host         TEXT   NOT NULL,     -- of the signature agent
    status       TEXT   NOT NULL,     -- locked, unlocked or spent
    expires      BIGINT NOT NULL,
    allowance    BIGINT NOT NULL,
    remaining    BIGINT NOT NULL,
    challenge    BIGINT NOT NULL,     -- its number; 0 before the first
    dataset      TEXT   NOT NULL,
    params       TEXT   NOT NULL,     -- JSON that only its author reads
    salt         BYTEA  NOT NULL,
    answers      TEXT   NOT NULL,     -- JSON: per question, hashes of what is accepted
    calls        TEXT   NOT NULL,     -- JSON: the calls a locked key may make
    made         BIGINT NOT NULL,     -- how many of them it made
    attempts     BIGINT NOT NULL,
    next_allowed BIGINT NOT NULL,
    drawn        BIGINT NOT NULL
);
CREATE UNIQUE INDEX agents_thumbprint ON agents (thumbprint, tier) WHERE thumbprint <> '';
CREATE INDEX agents_expires ON agents (expires);
