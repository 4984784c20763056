-- An account that is not active has no working key and cannot make one.
ALTER TABLE accounts ADD COLUMN active INTEGER NOT NULL DEFAULT 1;
