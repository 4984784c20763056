-- Corrections of wrong matches that visitors propose, and what became of them. Times are Unix nanoseconds.
CREATE TABLE corrections (
    seq       INTEGER PRIMARY KEY,
    id        TEXT    NOT NULL UNIQUE,
    state     TEXT    NOT NULL,              -- waiting, accepted or rejected
    sent      INTEGER NOT NULL,              -- for the first time
    times     INTEGER NOT NULL,              -- how often it was sent
    dataset   TEXT    NOT NULL,              -- version that the visitor saw
    grant_key TEXT    NOT NULL,
    line      TEXT    NOT NULL,              -- the columns of human.csv that select lines, with commas between them
    filed     TEXT    NOT NULL,              -- the recipient as filed
    was_ein   TEXT    NOT NULL,              -- the match that the visitor saw: empty for none
    was_rule  TEXT    NOT NULL,
    was_prob  TEXT    NOT NULL,
    proposal  TEXT    NOT NULL,              -- organization, other or nobody
    ein       TEXT    NOT NULL,              -- of the organization
    name      TEXT    NOT NULL,              -- by which the dataset knows it; empty if it does not
    reason    TEXT    NOT NULL,
    source    TEXT    NOT NULL,
    account   INTEGER REFERENCES accounts (seq) ON DELETE SET NULL,
    decided   INTEGER NOT NULL DEFAULT 0,
    note      TEXT    NOT NULL DEFAULT '',   -- why it was rejected
    written   INTEGER NOT NULL DEFAULT 0     -- when its row was written into human.csv
) STRICT;
CREATE UNIQUE INDEX corrections_waiting ON corrections (line, proposal, ein) WHERE state = 'waiting';
CREATE INDEX corrections_account ON corrections (account);
