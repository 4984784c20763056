-- Keys, without their secrets, and what each has spent in each window.
CREATE TABLE keys (
    seq      INTEGER PRIMARY KEY,
    id       TEXT    NOT NULL UNIQUE,
    hash     BLOB    NOT NULL UNIQUE, -- SHA-256 of the key
    plan     TEXT    NOT NULL,
    email    TEXT    NOT NULL,
    label    TEXT    NOT NULL,
    active   INTEGER NOT NULL,
    created  INTEGER NOT NULL,        -- Unix seconds
    rotated  INTEGER NOT NULL
) STRICT;

CREATE TABLE spent (
    key    INTEGER NOT NULL REFERENCES keys (seq),
    window TEXT    NOT NULL,          -- day or month
    start  INTEGER NOT NULL,          -- Unix seconds of its beginning
    calls  INTEGER NOT NULL,
    PRIMARY KEY (key, window, start)
) STRICT, WITHOUT ROWID;
