-- How many free questions a visitor, or all at a network address, asked in a
-- day. Receipts of questions are among the nonces.
CREATE TABLE questions (
    kind  TEXT    NOT NULL,           -- visitor or address
    who   BLOB    NOT NULL,           -- a hash
    day   INTEGER NOT NULL,           -- Unix seconds of its beginning
    asked INTEGER NOT NULL,
    PRIMARY KEY (kind, who, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_day ON questions (day);
