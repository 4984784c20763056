-- Keys that sign screening reports. All stay, so that what they signed can be
-- verified; the private part of a retired one is removed.
CREATE TABLE signing_keys (
    seq         BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    id          TEXT   NOT NULL UNIQUE,  -- RFC 7638 thumbprint of the public key
    public      BYTEA  NOT NULL,
    seed        BYTEA  NOT NULL,         -- empty once it is retired
    created     BIGINT NOT NULL,         -- Unix seconds, as all times here
    retired     BIGINT NOT NULL,         -- 0 while it is the current one
    compromised BIGINT NOT NULL          -- 0 for never
);
CREATE UNIQUE INDEX signing_keys_current ON signing_keys (retired) WHERE retired = 0;

-- What an account used without a key.
CREATE TABLE account_usage (
    account BIGINT NOT NULL REFERENCES accounts (seq) ON DELETE CASCADE,
    hour    BIGINT NOT NULL,             -- Unix seconds of its beginning
    calls   BIGINT NOT NULL,
    PRIMARY KEY (account, hour)
) WITH (fillfactor = 50);
CREATE INDEX account_usage_hour ON account_usage (hour);
