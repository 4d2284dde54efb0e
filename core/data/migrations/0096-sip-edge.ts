import { sqlMigration } from './migration.js';

/**
 * What the SIP edge knows: where phones are registered and what they subscribed to, who is locked out, the lists of
 * networks and countries, and how often strangers were refused.
 */
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
    -- The waiting messages that were last shown there without a subscription, as fresh/heard; null: none yet.
    messages text,
    refreshed_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (aor, key)
  );
  CREATE INDEX sip_contacts_expiry ON sip_contacts (expires_at);
  -- Phones that show whether colleagues are busy, or waiting messages (RFC 6665), with their dialogs.
  CREATE TABLE sip_subscriptions (
    id uuid PRIMARY KEY,
    aor text NOT NULL REFERENCES agents (aor) ON UPDATE CASCADE ON DELETE CASCADE,
    target text NOT NULL REFERENCES agents (aor) ON UPDATE CASCADE ON DELETE CASCADE,
    package text NOT NULL CHECK (package IN ('dialog', 'message-summary')),
    -- The value of the field Event, which may have an id.
    event text NOT NULL,
    call_id text NOT NULL,
    -- Fields From and To of the notifications.
    local text NOT NULL,
    remote text NOT NULL,
    contact text NOT NULL,
    flow text NOT NULL,
    routes text[] NOT NULL,
    hop_host text NOT NULL,
    hop_port integer NOT NULL,
    remote_cseq bigint NOT NULL,
    local_cseq bigint NOT NULL,
    version bigint NOT NULL,
    -- What was last sent; null: nothing yet.
    state text,
    -- Since when a notification waits for its answer.
    unanswered_since timestamptz(3),
    expires_at timestamptz(3) NOT NULL,
    -- A phone that repeats its first request has one subscription.
    UNIQUE (call_id, remote, target, package)
  );
  CREATE INDEX sip_subscriptions_target ON sip_subscriptions (target);
  CREATE INDEX sip_subscriptions_aor ON sip_subscriptions (aor);
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
    -- An address, a network (CIDR) or a country (ISO 3166-1 alpha-2).
    network text PRIMARY KEY,
    rule text NOT NULL CHECK (rule IN ('allow', 'deny')),
    note text,
    created_at timestamptz(3) NOT NULL
  );
  -- Requests that were not served, by hour: who sent them, and why not.
  CREATE TABLE sip_refusals (
    hour timestamptz(0) NOT NULL,
    reason text NOT NULL,
    -- An address, or * for those beyond the number that is kept.
    source text NOT NULL,
    country text,
    requests bigint NOT NULL,
    last_at timestamptz(3) NOT NULL,
    PRIMARY KEY (hour, reason, source)
  );
  `,
  `DROP TABLE sip_contacts, sip_subscriptions, sip_lockouts, sip_networks, sip_refusals;`,
);
