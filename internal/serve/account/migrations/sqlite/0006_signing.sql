-- Keys that sign screening reports. All stay, so that what they signed can be
-- verified; the private part of a retired one is removed.
CREATE TABLE signing_keys (
    seq         INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE, -- RFC 7638 thumbprint of the public key
    public      BLOB    NOT NULL,
    seed        BLOB    NOT NULL,        -- empty once it is retired
    created     INTEGER NOT NULL,        -- Unix seconds, as all times here
    retired     INTEGER NOT NULL,        -- 0 while it is the current one
    compromised INTEGER NOT NULL         -- 0 for never
) STRICT;
CREATE UNIQUE INDEX signing_keys_current ON signing_keys (retired) WHERE retired = 0;

-- What an account used without a key.
CREATE TABLE account_usage (
    account INTEGER NOT NULL REFERENCES accounts (seq) ON DELETE CASCADE,
    hour    INTEGER NOT NULL,            -- Unix seconds of its beginning
    calls   INTEGER NOT NULL,
    PRIMARY KEY (account, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_usage_hour ON account_usage (hour);
