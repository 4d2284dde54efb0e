import type { Database } from '../../../core/data/database.js';
import type { CallRow, LegRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { recordingRow } from './recordings.js';
import { callRow, chargeOf, eventOf, insertRows, legRow, numberRow, timelineRow, type Ground } from './rows.js';

/** What the rows of a person are made of. */
export interface Person {
  readonly phone: string;
  readonly email: string;
  readonly externalId: string;
}

/** The rows of a person in the tables of a project. */
export interface PersonRows {
  readonly call: CallRow;
  readonly leg: LegRow;
  /** Keys of the recording of the call and of the message. */
  readonly storageKeys: readonly [string, string];
  readonly virtualNumberId: string;
}

/** Inserts something of the person wherever the platform keeps something of customers. */
export async function insertPerson(db: Database, ground: Ground, person: Person): Promise<PersonRows> {
  const { phone, email, externalId } = person;
  const { organizationId: organization_id, projectId: project_id } = ground;
  const own = { organization_id, project_id };
  const at = new Date();
  const ended = { status: 'ended', answered_at: at, ended_at: at } as const;
  const call = callRow(ground, {
    ...ended,
    direction: 'inbound',
    kind: 'inbound',
    customer_number: phone,
    caller_id_number: phone,
    caller_id_name: 'Reem',
    metadata: { customer: externalId, name: 'Reem' },
    program: { spec: { type: 'queue_callback', to: phone }, state: { said: phone } },
    webhook_url: `https://shop.example/${externalId}`,
    disposition: 'answered',
  });
  const leg = legRow(call.id, {
    ...ended,
    number: phone,
    endpoint: { type: 'trunk', trunkId: newId(), number: phone },
  });
  await insertRows(db, 'calls', [call]);
  await insertRows(db, 'legs', [leg]);
  await insertRows(db, 'charges', [chargeOf(leg, call)]);
  await insertRows(db, 'call_timeline', [timelineRow(call.id, { data: { from: phone } })]);
  await insertRows(db, 'events', [eventOf(call, { data: { call_id: call.id, from: phone, metadata: call.metadata } })]);
  await db.query('DELETE FROM unrated_calls');
  const recording = recordingRow(call, { leg_id: leg.id });
  const number = numberRow(ground, `+96611${newId().replace(/\D/g, '').slice(-7).padStart(7, '1')}`);
  await insertRows(db, 'numbers', [number]);
  const box = { number_id: number.id, ...own, enabled: true, max_seconds: 60, transcribe: true, pin_failures: 0 };
  await insertRows(db, 'voicemail_boxes', [{ ...box, notify_email: email, notify_audio: true, changed_at: at }]);
  const message = recordingRow(call, { leg_id: leg.id, box_id: number.id });
  await insertRows(db, 'recordings', [recording, message]);
  await insertRows(db, 'voicemails', [
    {
      ...{ id: message.id, ...own, box_id: number.id, call_id: call.id, sandbox: false, number: number.e164 },
      ...{
        from_number: phone,
        duration_ms: 1500,
        transcription_status: 'completed',
        transcription_text: `call ${phone}`,
      },
      ...{ listened_at: null, mail_to: email, mail_due_at: null, mail_attempts: 0, created_at: at },
    },
  ]);
  await insertRows(db, 'transcripts', [
    {
      ...{ recording_id: recording.id, call_id: call.id, ...own, status: 'completed', attempts: 1, due_at: null },
      ...{ language: 'en', confidence: 1, engine: 'test', problem: null, created_at: at, finished_at: at },
      turns: [{ speaker: 'customer', start_seconds: 0, end_seconds: 1, text: `my number is ${phone}`, confidence: 1 }],
    },
  ]);
  await insertCodes(db, ground, person);
  await insertMessages(db, ground, person);
  const virtualNumberId = await insertVirtualNumber(db, ground, person);
  const listed = { project_id, sandbox: false, kind: 'exact', number: phone, created_at: at };
  await insertRows(db, 'blocked_callers', [{ id: newId(), ...listed, refused_calls: 0, note: `${phone} swears` }]);
  await insertRows(db, 'allowed_callers', [{ id: newId(), ...listed, note: `${phone} pays` }]);
  await insertContact(db, ground, person);
  return { call, leg, storageKeys: [String(recording.storage_key), String(message.storage_key)], virtualNumberId };
}

async function insertCodes(db: Database, ground: Ground, { phone, email, externalId }: Person): Promise<void> {
  const own = { organization_id: ground.organizationId, project_id: ground.projectId, sandbox: false };
  const at = new Date();
  for (const recipient of [phone, email]) {
    const id = newId();
    const code = { id, purpose: 'verify', sandbox: false, length: 6, hash: null, state: 'used', attempts: 0 };
    const times = { sent_at: at, lifetime_seconds: 60, expires_at: at, created_at: at, closed_at: at };
    await insertRows(db, 'one_time_codes', [{ ...code, ...times, max_attempts: 3, sends: 1, late_told: false }]);
    const channel = recipient === phone ? 'voice' : 'email';
    await insertRows(db, 'verifications', [
      {
        ...{ id, ...own, channel, recipient, number_block: null, fallback: [], end_user_ip: '192.0.2.7' },
        ...{ language: 'en', brand_id: null, created_by_key: newId(), request_id: 'request', created_at: at },
      },
    ]);
    await insertRows(db, 'verification_attempts', [
      {
        ...{ verification_id: id, number: 1, step: 0, channel, recipient, state: 'sent', reason: null },
        ...{ call_id: null, created_at: at, ended_at: at },
      },
    ]);
  }
  await insertRows(db, 'voice_auth_challenges', [
    {
      ...{ id: newId(), ...own, assurance: 'number_match', number: phone, match_number: '42', brand_id: null },
      ...{ language: 'en', metadata: { customer: externalId }, call_id: null, state: 'approved' },
      ...{ created_by_key: newId(), request_id: 'request', created_at: at, expires_at: at, completed_at: at },
    },
  ]);
}

async function insertContact(db: Database, ground: Ground, { phone, email, externalId }: Person): Promise<void> {
  const own = { organization_id: ground.organizationId, project_id: ground.projectId, sandbox: false };
  const times = { created_at: new Date(), updated_at: new Date() };
  const contact = newId();
  await insertRows(db, 'contacts', [
    {
      ...{ id: contact, ...own, ...times, phone, email, name_en: 'Reem', name_ar: null, language: 'ar' },
      ...{ time_zone: null, tags: [email], words: '' },
      custom_fields: { external_id: externalId, note: `call ${phone}` },
    },
  ]);
  for (const [address, channel, status] of [
    [phone, 'sms', 'opted_out'],
    [email, 'email', 'opted_in'],
  ]) {
    const wish = { ...own, address, channel, class: 'promotional', status, source: 'keyword' };
    await insertRows(db, 'consents', [{ id: newId(), ...wish, is_locked: false, changed_at: new Date() }]);
    const said = { proof: `by ${address}`, recorded_by: null, given_at: new Date(), created_at: new Date() };
    await insertRows(db, 'consent_changes', [{ id: newId(), ...wish, ...said }]);
  }
  const group = newId();
  await insertRows(db, 'contact_groups', [{ id: group, ...own, ...times, name: `Customers ${group}`, rules: null }]);
  await insertRows(db, 'contact_group_members', [{ group_id: group, contact_id: contact, added_at: new Date() }]);
}

async function insertVirtualNumber(db: Database, ground: Ground, { phone, externalId }: Person): Promise<string> {
  const number = numberRow(ground, `+96612${newId().replace(/\D/g, '').slice(-7).padStart(7, '1')}`);
  await insertRows(db, 'numbers', [number]);
  const id = newId();
  await insertRows(db, 'virtual_numbers', [
    {
      ...{ id, organization_id: ground.organizationId, project_id: ground.projectId, number_id: number.id },
      ...{
        e164: number.e164,
        status: 'assigned',
        external_user_id: externalId,
        display_name: 'Reem',
        contact_id: null,
      },
      ...{ instructions: { text: null, audio_url: null, language: null, forward_to: phone } },
      ...{ audio_id: null, audio_path: null, assigned_at: new Date(), released_at: null },
    },
  ]);
  return id;
}

/** Every column of the database that contains the text: `table.column`. */
export async function columnsWith(db: Database, text: string): Promise<string[]> {
  const columns = await db.query<{ table: string; column: string }>(
    `SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns AS c
     JOIN information_schema.tables AS t ON t.table_name = c.table_name AND t.table_schema = c.table_schema
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.data_type IN ('text', 'jsonb', 'ARRAY')`,
  );
  const selects = columns.map(
    ({ table, column }) =>
      `SELECT '${table}.${column}' AS name WHERE EXISTS (SELECT FROM ${table} WHERE position($1 IN ${column}::text) > 0)`,
  );
  const found = await db.query<{ name: string }>(selects.join(' UNION ALL '), [text]);
  return found.map(({ name }) => name).sort();
}

/** A conversation with the person: a message in each direction. */
async function insertMessages(db: Database, ground: Ground, { phone, externalId }: Person): Promise<void> {
  const own = { organization_id: ground.organizationId, project_id: ground.projectId, sandbox: false, channel: 'sms' };
  const at = new Date();
  const thread_id = newId();
  await insertRows(db, 'message_threads', [
    { ...own, id: thread_id, address: phone, sender: 'HATIF', agent: null, last_message_at: at, created_at: at },
  ]);
  const message = {
    ...{ ...own, thread_id, class: null, segments: 1, parts: 1, amount: 0, created_at: at },
    ...{ body: `call ${phone}`, metadata: { customer: externalId } },
  };
  await insertRows(db, 'messages', [
    { ...message, id: newId(), direction: 'outbound', recipient: phone, sender: 'HATIF', status: 'delivered' },
    { ...message, id: newId(), direction: 'inbound', recipient: 'HATIF', sender: phone, status: 'received' },
  ]);
}
