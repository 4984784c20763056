-- How many free questions a visitor, or all at a network address, asked in a
-- day. Receipts of questions are among the nonces.
CREATE TABLE questions (
    kind  TEXT   NOT NULL,            -- visitor or address
    who   BYTEA  NOT NULL,            -- a hash
    day   BIGINT NOT NULL,            -- Unix seconds of its beginning
    asked BIGINT NOT NULL,
    PRIMARY KEY (kind, who, day)
) WITH (fillfactor = 50);
CREATE INDEX questions_day ON questions (day);
