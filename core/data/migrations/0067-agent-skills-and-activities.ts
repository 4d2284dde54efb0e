import { sqlMigration } from './migration.js';

/** Skills of agents, the skills that queues require, what agents do and for how long, and when legs were on hold. */
export const agentSkillsAndActivities = sqlMigration(
  '0067-agent-skills-and-activities',
  `
  ALTER TABLE agents ADD COLUMN skills jsonb NOT NULL DEFAULT '{}';
  ALTER TABLE queues
    ADD COLUMN required_skills jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN skills_timeout_seconds integer CHECK (skills_timeout_seconds > 0);

  CREATE TABLE agent_activities (
    project_id uuid NOT NULL REFERENCES projects,
    -- Of the log entry with which it began.
    sequence bigint NOT NULL,
    agent text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('signed_in', 'paused', 'offer', 'talk', 'wrap_up')),
    queue_id uuid,
    call_id uuid,
    leg_id uuid,
    reason text,
    started_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3) CHECK (ended_at >= started_at),
    outcome text CHECK (outcome IN ('answered', 'missed', 'withdrawn')),
    PRIMARY KEY (project_id, sequence, agent, kind)
  );
  CREATE INDEX agent_activities_ended ON agent_activities (project_id, agent, ended_at);

  -- Times from and to; null while the leg is on hold. Null: never.
  ALTER TABLE legs ADD COLUMN holds jsonb;
  `,
  `
  ALTER TABLE legs DROP COLUMN holds;
  DROP TABLE agent_activities;
  ALTER TABLE queues DROP COLUMN required_skills, DROP COLUMN skills_timeout_seconds;
  ALTER TABLE agents DROP COLUMN skills;
  `,
);
