import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { AudioFileRow } from '../../../core/data/rows.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { isoTime } from '../../../core/model/time.js';
import { MAX_NAME_LENGTH, type AudioService } from '../../../core/services/audio/audio.js';
import { kindOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

const TAG = 'Call flow audio';
/** 10 MiB for the file itself. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

const audioFile = z
  .strictObject({
    id: idOutput.describe('What `play.audio_id` takes'),
    name: z.string(),
    duration_seconds: z.number().meta({ examples: [12.5] }),
    bytes: z.int().describe('Size of the file as it was uploaded'),
    created_at: timeOutput,
  })
  .meta({ id: 'AudioFile' });

const audioUsage = z
  .strictObject({
    files: z.int().min(0).describe('Number of audio files'),
    bytes_used: z.int().min(0).describe('What the files take as they are stored, not as they were uploaded'),
    bytes_allowed: z.int().min(0).describe('What they may take'),
  })
  .meta({ id: 'AudioUsage', examples: [{ files: 12, bytes_used: 34_560_000, bytes_allowed: 1_000_000_000 }] });

export function audioRoutes({ audio }: { readonly audio: AudioService }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/callflows/audio',
      operationId: 'uploadAudio',
      summary: 'Upload an audio file',
      summaryAr: 'رفع ملف صوتي',
      description:
        'A WAV (PCM, float, A-law, µ-law) or MP3 file of at most 10 MB and 10 minutes; the type is detected from the content, not from the name. The audio is mixed to mono, normalized to -20 LUFS and converted to 8 and 16 kHz. Files that are truncated, or that contain more than sound, are refused. The files of a project share a storage quota. A file belongs to the kind of its key, live or sandbox.',
      tag: TAG,
      scope: 'callflows:write',
      keyKind: 'any',
      flag: 'callflows',
      upload: { field: 'file', description: 'The WAV or MP3 file', maxBytes: MAX_FILE_BYTES },
      body: z.strictObject({
        name: z.string().trim().min(1).max(MAX_NAME_LENGTH).optional().describe('Defaults to the name of the file'),
      }),
      auditFields: ['name'],
      responses: { 201: { schema: audioFile, description: 'The audio file' } },
      errors: ['AUDIO_QUOTA_EXCEEDED', 'CALLFLOW_AUDIO_SERVICE_UNAVAILABLE'],
      handler: async ({ caller, body, file }) => {
        if (!file) throw invalidField('file');
        const added = await audio.add(kindOf({ caller }), {
          audio: { file: file.path },
          bytes: file.size,
          fileName: file.name,
          name: body.name,
        });
        return { status: 201, body: view(added) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/callflows/audio',
      operationId: 'listAudio',
      summary: 'List audio files',
      summaryAr: 'عرض الملفات الصوتية',
      description: 'The project’s audio files of the key’s kind, newest first.',
      tag: TAG,
      scope: 'callflows:read',
      keyKind: 'any',
      flag: 'callflows',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(audioFile), description: 'One page of audio files' } },
      errors: [],
      handler: async ({ caller, query, cursors }) => {
        const rows = await audio.list(kindOf({ caller }), cursors.read(query.cursor), query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id, view) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/callflows/audio/usage',
      operationId: 'getAudioUsage',
      summary: 'Get the use of the audio quota',
      summaryAr: 'المساحة المستخدمة للملفات الصوتية',
      description:
        'How much of their storage quota the project’s audio files of the key’s kind use. Live and sandbox files have a quota each. An upload that would take more than `bytes_allowed` is refused with `AUDIO_QUOTA_EXCEEDED`. `bytes_used` is larger than `bytes_allowed` if the operator has reduced the quota.',
      tag: TAG,
      scope: 'callflows:read',
      keyKind: 'any',
      flag: 'callflows',
      responses: { 200: { schema: audioUsage, description: 'The use of the quota' } },
      errors: [],
      handler: async ({ caller }) => {
        const { files, bytesUsed, bytesAllowed } = await audio.usage(kindOf({ caller }));
        return { status: 200, body: { files, bytes_used: bytesUsed, bytes_allowed: bytesAllowed } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/callflows/audio/:id',
      operationId: 'deleteAudio',
      summary: 'Delete an audio file',
      summaryAr: 'حذف ملف صوتي',
      description:
        'A call that is playing it plays it to its end; what asks for it afterwards does not find it. Refused while a queue or a call flow plays it.',
      tag: TAG,
      scope: 'callflows:write',
      keyKind: 'any',
      flag: 'callflows',
      params: z.strictObject({ id: idParam('NOT_FOUND') }),
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['NOT_FOUND', 'CALLFLOW_AUDIO_SERVICE_UNAVAILABLE'],
      handler: async ({ caller, params }) => {
        await audio.remove(kindOf({ caller }), params.id);
        return { status: 204 };
      },
    }),
  ];
}

function view(row: AudioFileRow): z.output<typeof audioFile> {
  return {
    id: row.id,
    name: row.name,
    duration_seconds: Math.round(row.duration_ms / 10) / 100,
    bytes: row.bytes,
    created_at: isoTime(row.created_at),
  };
}
