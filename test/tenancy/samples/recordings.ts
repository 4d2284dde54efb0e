import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordingRow, TranscriptRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { toneWav } from '../../support/judges/audio.js';
import { recordingRow } from '../../support/rows/recordings.js';
import { insertRows } from '../../support/rows/rows.js';
import { messageRow } from '../../support/rows/voicemail-rows.js';
import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';
import { newEndedCall } from './calls.js';
import { newNumber } from './numbers.js';

const AUDIO = toneWav({ hz: 440, seconds: 1 });

/** Stores the row and its audio. */
async function store(tenant: Tenant, row: RecordingRow): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hatif-tenancy-'));
  const file = join(folder, 'new.wav');
  await writeFile(file, AUDIO);
  await tenant.world.storages.current.put(row.storage_key ?? '', file, 'audio/wav');
  await rm(folder, { recursive: true });
  await insertRows(tenant.world.db, 'recordings', [row]);
  tenant.secret(row.id);
}

/** An ended call with a recording and its transcript. */
export async function newRecording(tenant: Tenant): Promise<{ call_id: string; recording_id: string }> {
  const call = await newEndedCall(tenant, { recording_available: true });
  const row = recordingRow(call, { bytes: AUDIO.length });
  await store(tenant, row);
  const transcript: TranscriptRow = {
    recording_id: row.id,
    call_id: call.id,
    organization_id: call.organization_id,
    project_id: call.project_id,
    status: 'completed',
    attempts: 1,
    due_at: null,
    language: 'en',
    confidence: 0.9,
    engine: 'test',
    turns: [{ speaker: 'customer', startMs: 0, endMs: 900, text: tenant.word('said'), confidence: 0.9 }],
    problem: null,
    created_at: new Date(),
    finished_at: new Date(),
  };
  await insertRows(tenant.world.db, 'transcripts', [transcript]);
  return { call_id: call.id, recording_id: row.id };
}

const recordingOf = (tenant: Tenant) => tenant.once('recording', () => newRecording(tenant));

/** A conference that is over, with a recording. */
async function newConferenceRecording(tenant: Tenant): Promise<{ conference_id: string; recording_id: string }> {
  const call = await newEndedCall(tenant);
  const { organization_id, project_id, engine_id } = call;
  const [id, at] = [newId(), new Date()];
  const owned = { id, organization_id, project_id, engine_id, sandbox: false, max_participants: 10 };
  const over = { name: tenant.word('conference'), created_at: at, ended_at: at, emptied_at: at };
  await insertRows(tenant.world.db, 'conferences', [{ ...owned, ...over }]);
  tenant.secret(id);
  const source = { conference_id: id, leg_id: null, leg: null, box_id: null, is_greeting: null } as const;
  const row: RecordingRow = { ...recordingRow(call), ...source, channels: 1, bytes: AUDIO.length };
  await store(tenant, row);
  return { conference_id: id, recording_id: row.id };
}

const conferenceRecordingOf = (tenant: Tenant) =>
  tenant.once('conference recording', () => newConferenceRecording(tenant));

/** A number with a voicemail box. @returns the number's ID */
async function newBox(tenant: Tenant): Promise<string> {
  const { id } = await newNumber(tenant);
  const json = { enabled: true, notify_email: `${tenant.word('mail')}@example.com` };
  await tenant.ask('PUT', `/v1/numbers/${id}/voicemail`, json);
  return id;
}

const boxOf = (tenant: Tenant): Promise<string> => tenant.once('box', () => newBox(tenant));

async function newVoicemail(tenant: Tenant): Promise<string> {
  const box_id = await boxOf(tenant);
  const row = recordingRow(await newEndedCall(tenant), { box_id, channels: 1, bytes: AUDIO.length });
  await store(tenant, row);
  const message = messageRow(row, box_id, {
    from_number: tenant.number(),
    transcription_status: 'completed',
    transcription_text: tenant.word('message'),
  });
  await insertRows(tenant.world.db, 'voicemails', [message]);
  return row.id;
}

const onVoicemail = async (tenant: Tenant) => ({
  params: { id: await tenant.once('voicemail', () => newVoicemail(tenant)) },
});

const onRecording = async (tenant: Tenant) => {
  const { call_id, recording_id } = await recordingOf(tenant);
  return { params: { call_id }, query: { recording_id } };
};

const onConferenceRecording = async (tenant: Tenant) => {
  const { conference_id, recording_id } = await conferenceRecordingOf(tenant);
  return { params: { conference_id }, query: { recording_id } };
};

export const recordings: Samples = {
  listCallRecordings: async (tenant) => ({ params: { call_id: (await recordingOf(tenant)).call_id } }),
  getCallRecording: onRecording,
  getCallTranscript: onRecording,
  deleteCallRecording: async (tenant) => {
    const { call_id, recording_id } = await newRecording(tenant);
    return { params: { call_id }, query: { recording_id } };
  },
  getRecordingAudio: async (tenant) => {
    const { call_id, recording_id } = await recordingOf(tenant);
    const { url } = await tenant.ask('GET', `/v1/calls/${call_id}/recording?recording_id=${recording_id}`);
    return { params: { recording_id }, query: Object.fromEntries(new URL(String(url)).searchParams) };
  },
  listConferenceRecordings: async (tenant) => ({
    params: { conference_id: (await conferenceRecordingOf(tenant)).conference_id },
  }),
  getConferenceRecording: onConferenceRecording,
  deleteConferenceRecording: async (tenant) => {
    const { conference_id, recording_id } = await newConferenceRecording(tenant);
    return { params: { conference_id }, query: { recording_id } };
  },

  getVoicemailBox: async (tenant) => ({ params: { id: await boxOf(tenant) } }),
  putVoicemailBox: async (tenant) => ({ params: { id: await boxOf(tenant) }, body: { enabled: true } }),
  listVoicemails: async (tenant) => {
    await onVoicemail(tenant);
    return {};
  },
  getVoicemail: onVoicemail,
  getVoicemailRecording: onVoicemail,
  markVoicemailListened: onVoicemail,
  deleteVoicemail: async (tenant) => ({ params: { id: await newVoicemail(tenant) } }),
};
