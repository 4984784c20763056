-- Until when somebody screens the next part of a run; 0 when nobody does. Two who continue the
-- same run must not both screen, and pay for, the same members.
ALTER TABLE list_runs ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;
