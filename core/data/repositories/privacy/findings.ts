import type { KeepReason } from '../../../model/privacy/keep-reasons.js';
import type { SubjectType } from '../../../model/privacy/subject.js';

/**
 * Where else than in calls an organization may hold something of a person. Conditions are on a row of the table, `item`;
 * `$1` is the organization, `$2` the identifier of the person.
 */
export interface Finding {
  /** The table that the report names. */
  readonly category: string;
  readonly types: readonly SubjectType[];
  readonly table: string;
  /** A column with UUIDs in the order of creation. */
  readonly key: 'id' | 'number_id';
  readonly match: string;
  /** What the archive shows beside the row itself: a jsonb object. */
  readonly more?: string;
  /** Columns that the archive leaves out of this row. */
  readonly without?: readonly string[];
  /** While this holds, the row is in use for some minutes: the erasure waits. */
  readonly waits?: string;
  /** What an erasure does: statements on the rows with the keys `$1`. Without them, the rows stay. */
  readonly erase: {
    readonly how: 'erased' | 'anonymised' | null;
    readonly statements: readonly string[];
    /** Why the rows stay. */
    readonly kept: KeepReason | null;
  };
}

const deletes = (...tables: readonly string[]): Finding['erase'] => ({
  how: 'erased',
  statements: tables.map((table) => `DELETE FROM ${table} WHERE id = ANY ($1::uuid[])`),
  kept: null,
});
const empties = (table: string, changes: string, key: Finding['key'] = 'id'): Finding['erase'] => ({
  how: 'anonymised',
  statements: [`UPDATE ${table} SET ${changes} WHERE ${key} = ANY ($1::uuid[])`],
  kept: null,
});
const keeps = (kept: KeepReason): Finding['erase'] => ({ how: null, statements: [], kept });

/** The members of `document` with exactly the identifier as value, wherever they are. */
const names = (document: string, path = '$.**'): string =>
  `jsonb_path_exists(${document}, '${path} ? (@ == $v)', jsonb_build_object('v', $2::text))`;
const OWN_PROJECT = `item.project_id IN (SELECT id FROM projects WHERE organization_id = $1)`;
const OWN = `item.organization_id = $1`;

/** A setting that sends calls to the person. */
const setting = (table: string, column: string, own = OWN): Finding => ({
  ...{ category: table, types: ['phone'], table, key: 'id', erase: keeps('in_use') },
  match: `${own} AND item.${column}->>'target' = $2`,
});

/** An event with its deliveries. */
const eventFinding = (types: readonly SubjectType[], condition: string): Finding => ({
  ...{ category: 'events', types, table: 'events', key: 'id' },
  match: `${OWN} AND item.call_id IS NULL AND (${condition})`,
  erase: {
    how: 'erased',
    statements: [
      'DELETE FROM webhook_deliveries WHERE event_id = ANY ($1::uuid[])',
      'DELETE FROM events WHERE id = ANY ($1::uuid[])',
    ],
    kept: null,
  },
});

/** In the order in which they are looked through. */
export const FINDINGS: readonly Finding[] = [
  {
    ...{ category: 'contacts', types: ['phone', 'email', 'external_id'], table: 'contacts', key: 'id' },
    match: `${OWN} AND (item.phone = $2 OR item.email = $2
      OR item.custom_fields->>'external_id' = $2)`,
    more: `jsonb_build_object('groups', (
      SELECT coalesce(jsonb_agg(own.name ORDER BY own.name), '[]') FROM contact_group_members AS member
      JOIN contact_groups AS own ON own.id = member.group_id WHERE member.contact_id = item.id))`,
    // It leaves its groups with the row.
    erase: deletes('contacts'),
  },
  {
    ...{ category: 'opt_outs', types: ['phone', 'email'], table: 'consents', key: 'id' },
    ...{ match: `${OWN} AND item.address = $2 AND item.status = 'opted_out'`, erase: keeps('opt_out') },
  },
  {
    ...{ category: 'consents', types: ['phone', 'email'], table: 'consents', key: 'id' },
    ...{ match: `${OWN} AND item.address = $2 AND item.status = 'opted_in'`, erase: deletes('consents') },
  },
  {
    ...{ category: 'consent_changes', types: ['phone', 'email'], table: 'consent_changes', key: 'id' },
    match: `${OWN} AND item.address = $2`,
    erase: {
      how: 'erased',
      statements: [
        // They are append-only but for this.
        `SELECT set_config('hatif.retention_ended', 'on', true) WHERE cardinality($1::uuid[]) > 0`,
        'DELETE FROM consent_changes WHERE id = ANY ($1::uuid[])',
        `SELECT set_config('hatif.retention_ended', 'off', true) WHERE cardinality($1::uuid[]) > 0`,
      ],
      kept: null,
    },
  },
  {
    ...{ category: 'verifications', types: ['phone', 'email'], table: 'verifications', key: 'id' },
    match: `${OWN} AND (item.recipient = $2 OR item.fallback @> jsonb_build_array(jsonb_build_object('recipient', $2::text))
      OR EXISTS (SELECT FROM verification_attempts AS tried WHERE tried.verification_id = item.id AND tried.recipient = $2))`,
    more: `jsonb_build_object('attempts', (
      SELECT coalesce(jsonb_agg(to_jsonb(tried) - 'call_id' ORDER BY tried.number), '[]')
      FROM verification_attempts AS tried WHERE tried.verification_id = item.id))`,
    waits: `EXISTS (SELECT FROM one_time_codes AS code WHERE code.id = item.id AND code.state = 'pending')`,
    // The verification and its attempts go with the code.
    erase: deletes('one_time_codes'),
  },
  {
    ...{
      category: 'voice_auth_challenges',
      types: ['phone', 'external_id'],
      table: 'voice_auth_challenges',
      key: 'id',
    },
    match: `${OWN} AND (item.number = $2 OR EXISTS (SELECT FROM jsonb_each_text(item.metadata) AS member WHERE member.value = $2))`,
    // Nobody learns which call it was.
    without: ['call_id'],
    waits: `item.state = 'pending'`,
    erase: deletes('voice_auth_challenges'),
  },
  {
    ...{ category: 'virtual_numbers', types: ['phone', 'external_id'], table: 'virtual_numbers', key: 'id' },
    match: `${OWN} AND (item.external_user_id = $2 OR item.instructions->>'forward_to' = $2)`,
    // It was released before.
    waits: `item.status = 'assigned'`,
    erase: empties(
      'virtual_numbers',
      `external_user_id = 'erased', display_name = NULL, contact_id = NULL, audio_id = NULL, audio_path = NULL,
       instructions = '{"text": null, "audio_url": null, "language": null, "forward_to": null}'`,
    ),
  },
  {
    ...{
      category: 'web_calling_sessions',
      types: ['phone', 'external_id'],
      table: 'web_calling_sessions',
      key: 'id',
    },
    match: `${OWN} AND (item.identity = $2 OR item.rights->'numbers' ? $2
      OR EXISTS (SELECT FROM jsonb_each_text(item.metadata) AS member WHERE member.value = $2))`,
    // Its browser registers no more within seconds.
    erase: deletes('web_calling_sessions'),
  },
  {
    // What a visitor of a web page has sent.
    ...{ category: 'message_files', types: ['external_id'], table: 'message_files', key: 'id' },
    match: `${OWN} AND item.id::text IN (
      SELECT message.content->'media'->>'media_id' FROM messages AS message
      WHERE message.organization_id = $1 AND message.sender = $2 AND message.channel = 'webchat')`,
    // It is over at once; its content is removed from the storage within minutes.
    erase: {
      how: 'erased',
      statements: [`UPDATE message_files SET expires_at = now() WHERE id = ANY ($1::uuid[])`],
      kept: null,
    },
  },
  {
    ...{ category: 'messages', types: ['phone', 'email', 'external_id'], table: 'messages', key: 'id' },
    match: `${OWN} AND (CASE item.direction WHEN 'outbound' THEN item.recipient ELSE item.sender END = $2
      OR EXISTS (SELECT FROM jsonb_each_text(item.metadata) AS member WHERE member.value = $2))`,
    // It is on its way.
    waits: `item.status = 'queued' AND item.claimed_at IS NOT NULL`,
    erase: deletes('messages'),
  },
  {
    ...{ category: 'broadcast_recipients', types: ['phone', 'email'], table: 'broadcast_recipients', key: 'id' },
    match: `item.address = $2 AND item.broadcast_id IN (SELECT id FROM broadcasts WHERE organization_id = $1)`,
    // The numbers of the broadcast stay right.
    erase: empties(
      'broadcast_recipients',
      `address = NULL, contact_id = NULL, time_zone = NULL, fields = '{}', status = 'skipped', skip_reason = 'erased',
       message_id = NULL`,
    ),
  },
  {
    // By the visitor, who has no other name: `with` of the conversation. The token opens it no more.
    ...{ category: 'webchats', types: ['external_id'], table: 'webchats', key: 'id' },
    match: `${OWN} AND item.id::text = $2`,
    erase: deletes('webchats'),
  },
  {
    ...{ category: 'message_threads', types: ['phone', 'email', 'external_id'], table: 'message_threads', key: 'id' },
    match: `${OWN} AND item.address = $2`,
    // Its messages went before. One that came since then is of a later request.
    erase: {
      how: 'erased',
      statements: [
        `DELETE FROM message_threads AS thread WHERE id = ANY ($1::uuid[])
         AND NOT EXISTS (SELECT FROM messages WHERE thread_id = thread.id)`,
      ],
      kept: null,
    },
  },
  {
    ...{ category: 'own_number_claims', types: ['phone'], table: 'own_number_claims', key: 'id' },
    ...{ match: `${OWN} AND item.e164 = $2`, erase: keeps('in_use') },
  },
  {
    ...{ category: 'porting_requests', types: ['phone'], table: 'porting_requests', key: 'id' },
    ...{ match: `${OWN} AND $2 = ANY (item.numbers)`, erase: keeps('in_use') },
  },
  {
    ...{ category: 'numbers', types: ['phone'], table: 'numbers', key: 'id' },
    ...{ match: `${OWN} AND (item.e164 = $2 OR item.binding->>'target' = $2)`, erase: keeps('in_use') },
  },
  {
    ...{ category: 'agents', types: ['phone'], table: 'agents', key: 'id', erase: keeps('in_use') },
    match: `${OWN} AND ${names('item.forwarding')}`,
  },
  setting('queues', 'overflow'),
  setting('widgets', 'destination'),
  setting('projects', 'default_destination'),
  {
    ...{ category: 'callflow_versions', types: ['phone'], table: 'callflows', key: 'id', erase: keeps('in_use') },
    match: `${OWN} AND EXISTS (SELECT FROM callflow_versions AS version WHERE version.callflow_id = item.id AND ${names('version.definition')})`,
  },
  {
    ...{ category: 'blocked_callers', types: ['phone'], table: 'blocked_callers', key: 'id' },
    match: `${OWN_PROJECT} AND item.kind = 'exact' AND item.number = $2`,
    erase: { ...empties('blocked_callers', 'note = NULL'), how: null, kept: 'block' },
  },
  {
    ...{ category: 'allowed_callers', types: ['phone'], table: 'allowed_callers', key: 'id' },
    match: `${OWN_PROJECT} AND item.kind = 'exact' AND item.number = $2`,
    erase: deletes('allowed_callers'),
  },
  {
    ...{ category: 'refused_calls', types: ['phone'], table: 'refused_calls', key: 'id' },
    match: `item.dialled = $2 AND item.source = 'softphone'
      AND item.source_id IN (SELECT aor FROM agents WHERE organization_id = $1)`,
    erase: deletes('refused_calls'),
  },
  {
    ...{ category: 'users', types: ['phone'], table: 'users', key: 'id', erase: keeps('member') },
    match: `${OWN} AND (item.phone = $2 OR EXISTS (SELECT FROM pending_phones AS given WHERE given.user_id = item.id AND given.phone = $2))`,
  },
  {
    ...{ category: 'invites', types: ['email'], table: 'invites', key: 'id' },
    ...{ match: `${OWN} AND item.email = $2`, erase: deletes('invites') },
  },
  {
    ...{ category: 'voicemail_boxes', types: ['email'], table: 'voicemail_boxes', key: 'number_id' },
    match: `${OWN} AND lower(item.notify_email) = $2`,
    erase: empties('voicemail_boxes', 'notify_email = NULL', 'number_id'),
  },
  {
    ...{ category: 'voicemail_boxes', types: ['phone'], table: 'voicemail_boxes', key: 'number_id' },
    match: `${OWN} AND item.notify_message->>'to' = $2`,
    erase: empties('voicemail_boxes', 'notify_message = NULL', 'number_id'),
  },
  {
    ...{ category: 'voicemails', types: ['email'], table: 'voicemails', key: 'id' },
    match: `${OWN} AND lower(item.mail_to) = $2`,
    // The message is of somebody else.
    without: ['from_number', 'transcription_text'],
    erase: empties('voicemails', 'mail_to = NULL, mail_due_at = NULL'),
  },
  {
    ...{ category: 'organizations', types: ['email'], table: 'organizations', key: 'id', erase: keeps('in_use') },
    match: `item.id = $1 AND lower(item.contact_email) = $2`,
  },
  eventFinding(['phone', 'email'], names('item.data')),
  eventFinding(
    ['external_id'],
    `${names('item.data', '$.**.external_user_id')} OR ${names('item.data', '$.**.metadata.*')}`,
  ),
];
