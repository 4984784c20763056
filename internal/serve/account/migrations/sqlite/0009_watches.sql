-- Lists that are watched. Edition and build are what the members were compared with last;
-- both are empty before the first time. Times are Unix nanoseconds.
CREATE TABLE watches (
    list    INTEGER PRIMARY KEY REFERENCES lists (seq) ON DELETE CASCADE,
    edition TEXT    NOT NULL DEFAULT '',
    build   TEXT    NOT NULL DEFAULT '',
    seen    INTEGER NOT NULL DEFAULT 0,  -- lists.changed when the members were compared
    feed    BLOB    NOT NULL DEFAULT x'' -- hash of the secret in the address of the Atom feed; empty for no feed
) STRICT;
CREATE UNIQUE INDEX watches_feed ON watches (feed) WHERE feed <> x'';

-- The last known name and address of a member.
CREATE TABLE watch_members (
    list    INTEGER NOT NULL REFERENCES watches (list) ON DELETE CASCADE,
    ein     TEXT    NOT NULL,
    name    TEXT    NOT NULL,
    address TEXT    NOT NULL,
    PRIMARY KEY (list, ein)
) STRICT, WITHOUT ROWID;

-- The feed of a list. A number is never used twice: deliveries remember the last one they sent.
CREATE TABLE alerts (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    list         INTEGER NOT NULL REFERENCES lists (seq) ON DELETE CASCADE,
    at           INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    source       TEXT    NOT NULL,
    ein          TEXT    NOT NULL,       -- empty for an alert about the whole list
    name         TEXT    NOT NULL,
    reference    TEXT    NOT NULL,       -- number of a sanctioned entity, or empty
    was          TEXT    NOT NULL,
    is_now       TEXT    NOT NULL,
    count        INTEGER NOT NULL,
    from_version TEXT    NOT NULL,
    to_version   TEXT    NOT NULL,
    UNIQUE (list, to_version, kind, source, ein, reference)
) STRICT;
CREATE INDEX alerts_list ON alerts (list, seq);
CREATE INDEX alerts_at ON alerts (at);

-- Where the alerts of a list go beside the feed: email or webhook.
CREATE TABLE watch_channels (
    list     INTEGER NOT NULL REFERENCES watches (list) ON DELETE CASCADE,
    channel  TEXT    NOT NULL,
    target   TEXT    NOT NULL,           -- address of the webhook; empty for email
    sent     INTEGER NOT NULL,           -- number of the last alert that was sent
    next     INTEGER NOT NULL,           -- no try before this time
    failures INTEGER NOT NULL DEFAULT 0, -- since the last success
    error    TEXT    NOT NULL DEFAULT '',
    PRIMARY KEY (list, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX watch_channels_next ON watch_channels (next);
