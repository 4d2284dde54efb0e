import { sqlMigration } from './migration.js';

/** What the SIP edge knows: where phones are registered, who is locked out, and the lists of networks. */
export const sipEdge = sqlMigration(
  '0096-sip-edge',
  `
  CREATE TABLE sip_contacts (
    aor text NOT NULL REFERENCES agents (aor) ON UPDATE CASCADE ON DELETE CASCADE,
    -- Identifies the contact among those of the AOR: its URI, or the phone's instance and flow (RFC 5626).
    key text NOT NULL,
    uri text NOT NULL,
    instance text,
    path text[] NOT NULL,
    -- Where the REGISTER came from: the phone, or the last proxy or NAT before the edge.
    source_host text NOT NULL,
    source_port integer NOT NULL,
    transport text NOT NULL CHECK (transport IN ('udp', 'tcp', 'tls', 'ws', 'wss')),
    call_id text NOT NULL,
    cseq bigint NOT NULL,
    user_agent text,
    refreshed_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (aor, key)
  );
  CREATE INDEX sip_contacts_expiry ON sip_contacts (expires_at);
  CREATE TABLE sip_lockouts (
    kind text NOT NULL CHECK (kind IN ('address', 'user')),
    subject text NOT NULL,
    reason text NOT NULL,
    -- How often it was locked out in a row; each time lasts longer.
    times integer NOT NULL,
    locked_at timestamptz(3) NOT NULL,
    locked_until timestamptz(3) NOT NULL,
    PRIMARY KEY (kind, subject)
  );
  CREATE INDEX sip_lockouts_end ON sip_lockouts (locked_until);
  CREATE TABLE sip_networks (
    network text PRIMARY KEY,
    rule text NOT NULL CHECK (rule IN ('allow', 'deny')),
    note text,
    created_at timestamptz(3) NOT NULL
  );
  `,
  `DROP TABLE sip_contacts, sip_lockouts, sip_networks;`,
);
