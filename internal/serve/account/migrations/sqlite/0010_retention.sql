-- Events may be removed once they are old: the service says how long it keeps them. Nobody
-- removes those of the last thirty days, by the clock of the machine.
DROP TRIGGER events_kept;
CREATE TRIGGER events_kept BEFORE DELETE ON events WHEN OLD.at > (unixepoch() - 30 * 86400) * 1000000000
    BEGIN SELECT RAISE(ABORT, 'events of the last thirty days are never removed'); END;
