-- What is known beside River's own tables. Every statement may run again.

CREATE TABLE IF NOT EXISTS layout (version INT NOT NULL PRIMARY KEY);
INSERT INTO layout VALUES (1) ON CONFLICT DO NOTHING;

-- The plan that counts: one row.
CREATE TABLE IF NOT EXISTS plan (
	one      BOOL PRIMARY KEY DEFAULT TRUE CHECK (one),
	id       TEXT NOT NULL,
	made_at  TIMESTAMPTZ NOT NULL DEFAULT now(),
	sources  TEXT NOT NULL,
	stage    TEXT NOT NULL,
	archives INT NOT NULL
);

-- The shards of the plan.
CREATE TABLE IF NOT EXISTS shard (
	key     TEXT PRIMARY KEY,
	archive TEXT NOT NULL,
	members BIGINT NOT NULL,
	bytes   BIGINT NOT NULL,                  -- of XML
	state   TEXT NOT NULL CHECK (state IN ('waiting', 'staged', 'quarantined')),
	reason  TEXT NOT NULL DEFAULT '',         -- why it is in quarantine
	worker  TEXT NOT NULL DEFAULT '',         -- who did it, empty if it was there already
	took    DOUBLE PRECISION NOT NULL DEFAULT 0, -- seconds
	packed  BIGINT NOT NULL DEFAULT 0,        -- bytes in the store
	done_at TIMESTAMPTZ
);

-- Archives that are no readable zips, and so have no shards.
CREATE TABLE IF NOT EXISTS refused (archive TEXT PRIMARY KEY, reason TEXT NOT NULL);

-- Who works. One that was not seen for longer than its lease is taken for dead.
CREATE TABLE IF NOT EXISTS worker (
	id       TEXT PRIMARY KEY,
	host     TEXT NOT NULL,
	slots    INT NOT NULL,
	lease    INTERVAL NOT NULL,
	began_at TIMESTAMPTZ NOT NULL DEFAULT now(),
	seen_at  TIMESTAMPTZ NOT NULL DEFAULT now()
);
