import { sqlMigration } from './migration.js';

/**
 * One-time codes, the verifications that use them, authentication calls, and the brands that these
 * name.
 */
export const verification = sqlMigration(
  '0022-verification',
  `
  CREATE TABLE one_time_codes (
    id uuid PRIMARY KEY,
    purpose text NOT NULL,
    sandbox boolean NOT NULL,
    length integer NOT NULL CHECK (length BETWEEN 2 AND 10),
    hash text,
    state text NOT NULL CHECK (state IN ('pending', 'used', 'spent', 'expired', 'revoked')),
    attempts integer NOT NULL CHECK (attempts BETWEEN 0 AND max_attempts),
    max_attempts integer NOT NULL CHECK (max_attempts > 0),
    sends integer NOT NULL CHECK (sends > 0),
    sent_at timestamptz(3) NOT NULL,
    lifetime_seconds integer NOT NULL CHECK (lifetime_seconds > 0),
    expires_at timestamptz(3) NOT NULL,
    late_told boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    closed_at timestamptz(3),
    CHECK ((state = 'pending') = (closed_at IS NULL)),
    CHECK (state = 'pending' OR hash IS NULL)
  );

  CREATE TABLE voice_auth_brands (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    name_en text NOT NULL,
    name_ar text NOT NULL,
    status text NOT NULL CHECK (status IN ('draft', 'pending', 'approved', 'rejected')),
    rejection_reason text,
    created_by_key uuid NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    submitted_at timestamptz(3),
    decided_at timestamptz(3)
  );
  -- A rejected name may be submitted again.
  CREATE UNIQUE INDEX voice_auth_brands_name_en ON voice_auth_brands (organization_id, sandbox, lower(name_en))
    WHERE status <> 'rejected';
  CREATE UNIQUE INDEX voice_auth_brands_name_ar ON voice_auth_brands (organization_id, sandbox, name_ar)
    WHERE status <> 'rejected';
  CREATE INDEX voice_auth_brands_waiting ON voice_auth_brands (submitted_at) WHERE status = 'pending';

  CREATE TABLE verifications (
    id uuid PRIMARY KEY REFERENCES one_time_codes ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    channel text NOT NULL CHECK (channel IN ('voice', 'sms', 'chatapp', 'email')),
    recipient text NOT NULL,
    number_block text,
    end_user_ip text,
    language text NOT NULL CHECK (language IN ('ar', 'en')),
    brand_id uuid REFERENCES voice_auth_brands,
    created_by_key uuid NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL
  );
  CREATE INDEX verifications_block ON verifications (organization_id, number_block, created_at)
    WHERE NOT sandbox AND number_block IS NOT NULL;
  CREATE INDEX verifications_request ON verifications (request_id);

  CREATE INDEX one_time_codes_due ON one_time_codes (expires_at) WHERE state = 'pending';

  CREATE TABLE voice_auth_challenges (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    assurance text NOT NULL CHECK (assurance IN ('number_match')),
    number text NOT NULL,
    match_number text NOT NULL CHECK (match_number ~ '^[0-9]{2}$'),
    brand_id uuid REFERENCES voice_auth_brands,
    language text NOT NULL CHECK (language IN ('ar', 'en')),
    metadata jsonb NOT NULL,
    -- Null until the call is placed.
    call_id uuid REFERENCES calls,
    state text NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'no_answer', 'expired', 'failed')),
    created_by_key uuid NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    completed_at timestamptz(3),
    CHECK ((state = 'pending') = (completed_at IS NULL))
  );
  CREATE INDEX voice_auth_challenges_open ON voice_auth_challenges (expires_at) WHERE state = 'pending';
  CREATE INDEX voice_auth_challenges_number ON voice_auth_challenges (organization_id, number, created_at)
    WHERE state = 'denied';
  CREATE INDEX voice_auth_challenges_request ON voice_auth_challenges (request_id);
  `,
  `DROP TABLE voice_auth_challenges, verifications, voice_auth_brands, one_time_codes;`,
);
