import { z } from 'zod';
import { UNMASKED_COLUMN } from '../../../../core/model/cdr/record.js';
import type { OperatorCdr } from '../../../../core/services/cdr/operator-export.js';
import { EXAMPLE_CDR } from '../../../examples/cdr.js';
import { CSV, csvReply } from '../../../http/reply.js';
import { route, type Route } from '../../../http/route.js';
import { fromBeforeTo, queryBoolean, timeInput } from '../../../http/schema/schemas.js';
import { reading } from '../administrator.js';
import { noteOn, PROJECT, projectParams, type FindProject } from './project.js';

const query = z
  .strictObject({
    from: timeInput().describe('Created at or after'),
    to: timeInput().describe('Created at or before'),
    unmasked: queryBoolean()
      .default(false)
      .describe(`Whether a last column, \`${UNMASKED_COLUMN}\`, has customers’ full numbers`),
  })
  .refine(...fromBeforeTo);

export interface AdministeredCdrServices {
  readonly find: FindProject;
  readonly cdr: OperatorCdr;
}

/** The call detail records of projects. */
export function administeredCdrRoutes({ find, cdr }: AdministeredCdrServices): Route[] {
  return [
    route({
      ...reading,
      path: `${PROJECT}/cdr`,
      operationId: 'exportCallDetailRecordsOfProject',
      summary: 'Export call detail records of a project as CSV',
      summaryAr: 'سجلات تفاصيل المكالمات لمشروع بصيغة CSV',
      description:
        'Ended calls that were created from `from` to `to`, oldest first, one per line, with their cost, in the columns of `GET /v1/cdr`. If the connection breaks off, the export is incomplete. Each export is in the audit log.',
      params: projectParams,
      query,
      isAudited: true,
      responses: { 200: { schema: z.string(), contentType: CSV, description: 'The records', example: EXAMPLE_CDR } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id }, query: { from, to, unmasked }, note, mayUnmask }) => {
        const project = await find.get(project_id);
        const before = new Date(to.getTime() + 1);
        note(noteOn(project, { unmasked, from: from.toISOString(), before: before.toISOString() }));
        // Audited before anything is shown.
        const shown = { unmasked: unmasked && (await mayUnmask()) };
        const csv = cdr.csv(project, { from, before }, shown, 'request');
        return csvReply(`cdr-${from.toISOString().slice(0, 10)}.csv`, csv);
      },
    }),
  ];
}
