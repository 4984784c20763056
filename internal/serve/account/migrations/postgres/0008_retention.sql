-- Events may be removed once they are old: the service says how long it keeps them. Nobody
-- removes those of the last thirty days, by the clock of the database.
DROP TRIGGER events_stay ON events;
CREATE TRIGGER events_stay BEFORE UPDATE OR TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_stay();
CREATE FUNCTION events_kept() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN
        IF OLD.at > (EXTRACT(EPOCH FROM now()) - 30 * 86400) * 1000000000 THEN
            RAISE EXCEPTION 'events of the last thirty days are never removed';
        END IF;
        RETURN OLD;
    END $$;
CREATE TRIGGER events_kept BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION events_kept();
