import { z } from 'zod';
import { idOutput } from '../../../../core/model/objects/fields.js';
import { anyRecordingObject } from '../../../../core/model/objects/recording.js';
import type { ManageRecordings } from '../../../../core/services/recordings/manage.js';
import { cursorPage } from '../../../http/paging.js';
import { route, type Route } from '../../../http/route.js';
import { cursorList, cursorQuery } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { noteOn, paramsOf, PROJECT, projectParams, type FindProject } from './project.js';

const params = paramsOf({ recording_id: z.string() });

export interface AdministeredRecordingsServices {
  readonly find: FindProject;
  readonly recordings: ManageRecordings;
}

/** The recordings of projects, without their audio. */
export function administeredRecordingRoutes({ find, recordings }: AdministeredRecordingsServices): Route[] {
  const hold = (
    name: 'hold' | 'release',
    held: boolean,
    texts: Pick<Route, 'operationId' | 'summary'> & { summaryAr: string; description: string },
  ): Route =>
    route({
      ...writing,
      ...texts,
      path: `${PROJECT}/recordings/:recording_id/${name}`,
      params,
      responses: { 200: { schema: anyRecordingObject, description: 'The recording as it is now' } },
      errors: ['PROJECT_NOT_FOUND', 'NOT_FOUND'],
      handler: async ({ params: { project_id, recording_id }, note }) => {
        const project = await find.get(project_id);
        const row = await recordings.setLegalHold(project.id, recording_id, held, 'request');
        note(noteOn(project, { recording_id: row.recording_id }));
        return { status: 200, body: row };
      },
    });
  return [
    route({
      ...reading,
      path: `${PROJECT}/recordings`,
      operationId: 'listRecordingsOfProject',
      summary: 'List the recordings of a project',
      summaryAr: 'عرض تسجيلات مشروع',
      description: 'Newest first, of calls and conferences.',
      params: projectParams,
      query: z.strictObject({
        ...cursorQuery,
        call_id: z.string().max(255).optional().describe('Only those of this call'),
      }),
      responses: { 200: { schema: cursorList(anyRecordingObject), description: 'One page' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, query: { cursor, limit, call_id = null }, cursors }) => {
        const { id } = await find.get(project_id);
        const rows = await recordings.list(id, call_id, limit + 1, cursors.read(cursor));
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ recording_id }) => recording_id) };
      },
    }),
    hold('hold', true, {
      operationId: 'holdRecordingOfProject',
      summary: 'Put a recording under legal hold',
      summaryAr: 'حفظ تسجيل بأمر قانوني',
      description: 'Nothing deletes the recording until the hold is released.',
    }),
    hold('release', false, {
      operationId: 'releaseRecordingOfProject',
      summary: 'End a recording’s legal hold',
      summaryAr: 'رفع الحفظ القانوني عن تسجيل',
      description: 'Retention and requests may delete the recording again.',
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${PROJECT}/recordings/:recording_id`,
      operationId: 'deleteRecordingOfProject',
      summary: 'Delete a recording of a project',
      summaryAr: 'حذف تسجيل من مشروع',
      description: 'Deletion is permanent. Recordings of live calls and recordings under legal hold cannot be deleted.',
      params,
      responses: {
        200: {
          schema: z.strictObject({
            recording_id: idOutput,
            audio_gone: z.boolean().describe('False: its audio is removed once the storage can be reached'),
          }),
          description: 'Deleted',
        },
      },
      errors: [
        'PROJECT_NOT_FOUND',
        'NOT_FOUND',
        'CALL_NOT_FOUND',
        'CONFERENCE_NOT_FOUND',
        'RECORDING_NOT_FOUND',
        'CALL_NOT_CONTROLLABLE',
        'INSUFFICIENT_PERMISSIONS',
      ],
      handler: async ({ params: { project_id, recording_id }, note }) => {
        const project = await find.get(project_id);
        const audio_gone = await recordings.delete(project.id, recording_id, 'request');
        note(noteOn(project, { recording_id }));
        return { status: 200, body: { recording_id, audio_gone } };
      },
    }),
  ];
}
