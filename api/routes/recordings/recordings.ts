import type { RecordingObject } from '../../../core/model/objects/recording.js';
import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import {
  conferenceRecordingObject,
  recordingChannels,
  recordingFormat,
  recordingObject,
  recordingSeconds,
} from '../../../core/model/objects/recording.js';
import { isoTime } from '../../../core/model/time.js';
import type { DeleteRecordings } from '../../../core/services/recordings/delete.js';
import type { LinkedRecording, ReadRecordings } from '../../../core/services/recordings/read.js';
import { scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { callParams, idInput, idParam } from '../../http/schema/schemas.js';

export interface RecordingRoutesServices {
  readonly read: ReadRecordings;
  readonly remove: DeleteRecordings;
  /** Where clients reach the API. */
  readonly publicUrl: () => string;
}

type LinkedFacts = Pick<RecordingObject, 'recording_id' | 'duration_seconds' | 'channels' | 'format'>;

const TAG = 'Recordings';
const CONTENT_TYPE = 'audio/wav';

export const recordingLink = z
  .strictObject({
    recording_id: idOutput,
    url: z.string().meta({ format: 'uri' }).describe('Opened without an API key: who has it, hears the call'),
    expires_at: timeOutput,
    duration_seconds: recordingSeconds,
    channels: recordingChannels,
    format: recordingFormat,
    bytes: z.int(),
  })
  .meta({ id: 'RecordingLink' });
const whichQuery = (otherwise: string) =>
  z.strictObject({ recording_id: idInput.optional().describe(`One recording; ${otherwise}`) });
const conferenceParams = z.strictObject({ conference_id: idParam('CONFERENCE_NOT_FOUND') });

export function recordingRoutes({ read, remove, publicUrl }: RecordingRoutesServices): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/calls/:call_id/recordings',
      operationId: 'listCallRecordings',
      permission: 'recordings:read',
      ownRows: true,
      summary: 'List the recordings of a call',
      summaryAr: 'عرض تسجيلات مكالمة',
      description: 'All recordings of the call, oldest first, including running, failed and deleted ones.',
      tag: TAG,
      scope: 'calls:read',
      keyKind: 'live',
      params: callParams,
      responses: { 200: { schema: z.strictObject({ data: z.array(recordingObject) }), description: 'The recordings' } },
      errors: ['CALL_NOT_FOUND'],
      handler: async ({ caller, params }) => {
        const data = await read.list(scopeOf({ caller }), params.call_id);
        return { status: 200, body: { data } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/calls/:call_id/recording',
      operationId: 'getCallRecording',
      permission: 'recordings:read',
      ownRows: true,
      summary: 'Get a download link for a recording',
      summaryAr: 'الحصول على رابط تنزيل تسجيل',
      description: 'The link works for 10 minutes, as often as wanted, and takes range requests.',
      tag: TAG,
      scope: 'calls:read',
      keyKind: 'live',
      params: callParams,
      query: whichQuery('the newest that is available when absent'),
      responses: { 200: { schema: recordingLink, description: 'The link' } },
      errors: ['CALL_NOT_FOUND', 'RECORDING_NOT_FOUND', 'RECORDING_SERVICE_UNAVAILABLE'],
      handler: async ({ caller, params, query }) => {
        const made = await read.link(scopeOf({ caller }), params.call_id, query.recording_id ?? null);
        return { status: 200, body: presentLink(made, publicUrl()) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/calls/:call_id/recording',
      operationId: 'deleteCallRecording',
      summary: 'Delete recordings of a call',
      summaryAr: 'حذف تسجيلات مكالمة',
      description:
        'Deletion is permanent: links stop working immediately, and the audio is removed from storage. Recordings of live calls and recordings under legal hold cannot be deleted.',
      tag: TAG,
      scope: 'calls:write',
      keyKind: 'live',
      params: callParams,
      query: whichQuery('all of them if absent'),
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['CALL_NOT_FOUND', 'RECORDING_NOT_FOUND', 'CALL_NOT_CONTROLLABLE', 'INSUFFICIENT_PERMISSIONS'],
      handler: async ({ caller, params, query }) => {
        await remove.ofCall(scopeOf({ caller }), params.call_id, query.recording_id ?? null);
        return { status: 204 };
      },
    }),
    ...conferenceRecordingRoutes({ read, remove, publicUrl }),
    audioRoute(read),
  ];
}

function conferenceRecordingRoutes({ read, remove, publicUrl }: RecordingRoutesServices): Route[] {
  const reading = {
    method: 'GET',
    tag: TAG,
    scope: 'calls:read',
    keyKind: 'live',
    flag: 'conferencing',
    params: conferenceParams,
  } as const;
  return [
    route({
      ...reading,
      path: '/v1/conferences/:conference_id/recordings',
      operationId: 'listConferenceRecordings',
      permission: 'recordings:read',
      summary: 'List the recordings of a conference',
      summaryAr: 'عرض تسجيلات مكالمة جماعية',
      description:
        'Recordings of the whole conference, oldest first. Recordings of single legs are listed with their calls.',
      responses: {
        200: { schema: z.strictObject({ data: z.array(conferenceRecordingObject) }), description: 'The recordings' },
      },
      errors: ['CONFERENCE_NOT_FOUND'],
      handler: async ({ caller, params }) => {
        const data = await read.listOfConference(scopeOf({ caller }), params.conference_id);
        return { status: 200, body: { data } };
      },
    }),
    route({
      ...reading,
      path: '/v1/conferences/:conference_id/recording',
      operationId: 'getConferenceRecording',
      permission: 'recordings:read',
      summary: 'Get a download link for the recording of a conference',
      summaryAr: 'الحصول على رابط تنزيل تسجيل مكالمة جماعية',
      description: 'The link works for 10 minutes, as often as wanted, and takes range requests.',
      query: whichQuery('the newest that is available when absent'),
      responses: { 200: { schema: recordingLink, description: 'The link' } },
      errors: ['CONFERENCE_NOT_FOUND', 'RECORDING_NOT_FOUND', 'RECORDING_SERVICE_UNAVAILABLE'],
      handler: async ({ caller, params, query }) => {
        const made = await read.linkOfConference(scopeOf({ caller }), params.conference_id, query.recording_id ?? null);
        return { status: 200, body: presentLink(made, publicUrl()) };
      },
    }),
    route({
      ...reading,
      method: 'DELETE',
      scope: 'calls:write',
      path: '/v1/conferences/:conference_id/recording',
      operationId: 'deleteConferenceRecording',
      summary: 'Delete recordings of a conference',
      summaryAr: 'حذف تسجيلات مكالمة جماعية',
      description:
        'For good: links stop working at once, and the audio is taken out of its storage. A recording that is not over is kept, and so is one under legal hold.',
      query: whichQuery('all of them if absent'),
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['CONFERENCE_NOT_FOUND', 'RECORDING_NOT_FOUND', 'CALL_NOT_CONTROLLABLE', 'INSUFFICIENT_PERMISSIONS'],
      handler: async ({ caller, params, query }) => {
        await remove.ofConference(scopeOf({ caller }), params.conference_id, query.recording_id ?? null);
        return { status: 204 };
      },
    }),
  ];
}

export function presentLink({ recording: linked, ...made }: LinkedRecording<LinkedFacts>, publicUrl: string) {
  const { recording_id, duration_seconds, channels: count, format: kind } = linked;
  return {
    recording_id,
    url: publicUrl + made.target,
    expires_at: isoTime(made.expiresAt),
    duration_seconds: duration_seconds ?? 0,
    channels: count,
    format: kind,
    bytes: made.bytes,
  };
}

function audioRoute(read: ReadRecordings): Route {
  const audio = z.string().meta({ format: 'binary' });
  const headers = { 'Accept-Ranges': '`bytes`', ETag: 'For `If-Range`' };
  return route({
    method: 'GET',
    path: '/v1/recordings/:recording_id/audio',
    operationId: 'getRecordingAudio',
    summary: 'Download a recording',
    summaryAr: 'تنزيل تسجيل',
    description:
      'Target of a download link; its signature takes the place of an API key. A `Range` header with a single range and `HEAD` are supported.',
    tag: TAG,
    scope: null,
    keyKind: 'none',
    params: z.strictObject({ recording_id: idParam('RECORDING_NOT_FOUND') }),
    query: z.strictObject({ expires: z.string(), signature: z.string() }),
    responses: {
      200: { schema: audio, contentType: CONTENT_TYPE, description: 'The recording', headers },
      206: { schema: audio, contentType: CONTENT_TYPE, description: 'The range requested by `Range`', headers },
      416: { schema: null, description: 'The recording has no such range', headers: { 'Content-Range': 'Its length' } },
    },
    errors: ['RECORDING_NOT_FOUND', 'RECORDING_URL_INVALID', 'RECORDING_URL_EXPIRED', 'RECORDING_SERVICE_UNAVAILABLE'],
    handler: async ({ params, query }) => {
      const file = await read.open(params.recording_id, query.expires, query.signature);
      return {
        status: 200,
        file: {
          bytes: file.bytes,
          contentType: CONTENT_TYPE,
          etag: file.recordingId,
          read: (range) => file.read(range),
        },
        headers: {
          'Cache-Control': `private, max-age=${file.secondsLeft}`,
          'Content-Disposition': `attachment; filename="${file.recordingId}.wav"`,
          // A page of the customer's own may play it: the link is the permission.
          'Cross-Origin-Resource-Policy': 'cross-origin',
        },
      };
    },
  });
}
