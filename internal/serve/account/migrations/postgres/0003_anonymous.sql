-- Anonymous keys are bounded in number: those that never answered a challenge
-- by their age, those that did by the order in which they did.
ALTER TABLE agents ADD COLUMN answered BIGINT NOT NULL DEFAULT 0; -- the how manieth of all keys to answer; 0 is not yet
UPDATE agents SET answered = 1 WHERE thumbprint = '' AND status <> 'locked';
CREATE INDEX agents_unanswered ON agents (key) WHERE thumbprint = '' AND answered = 0;
CREATE INDEX agents_answered ON agents (answered) WHERE thumbprint = '' AND answered > 0;
