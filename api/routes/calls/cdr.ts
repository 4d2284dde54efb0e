import { z } from 'zod';
import { CDR_COLUMNS, UNMASKED_COLUMN } from '../../../core/model/cdr/record.js';
import type { CdrExport } from '../../../core/services/cdr/export.js';
import { EXAMPLE_CDR } from '../../examples/cdr.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { CSV, csvReply } from '../../http/reply.js';
import { route, type Route } from '../../http/route.js';
import { fromBeforeTo, timeInput } from '../../http/schema/schemas.js';

const LONGEST_MS = 366 * 86_400_000;
const TOO_LONG = bilingual('must be at most 366 days after from', 'يجب ألا يتجاوز 366 يومًا بعد `from`');

const query = z
  .strictObject({
    from: timeInput().describe('Created at or after'),
    to: timeInput().describe('Created at or before'),
  })
  .refine(...fromBeforeTo)
  .refine(({ from, to }) => to.getTime() - from.getTime() <= LONGEST_MS, { path: ['to'], message: TOO_LONG });

export function cdrRoutes({ exports }: { readonly exports: CdrExport }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/cdr',
      operationId: 'exportCallDetailRecords',
      summary: 'Export call detail records as CSV',
      summaryAr: 'سجلات تفاصيل المكالمات بصيغة CSV',
      description:
        'Ended calls placed with live keys and created from `from` to `to`, oldest first, one per line, with their cost; at most 366 ' +
        'days. The CSV follows RFC 4180, in UTF-8, and is streamed. The column names and their order are stable: ' +
        `${CDR_COLUMNS.map((name) => `\`${name}\``).join(', ')}. Times are in UTC; \`created_at_riyadh\` has Riyadh’s offset. Customers’ ` +
        `numbers are masked. With the scope \`pii:read\`, a last column, \`${UNMASKED_COLUMN}\`, has the full number (E.164; empty if there is none). ` +
        '`call_id` is empty for a call that the platform makes for itself, such as one that speaks a code. If the connection breaks off, the export is incomplete.',
      tag: 'Billing',
      scope: 'billing:read',
      keyKind: 'live',
      rateLimit: { perMinute: 10 },
      query,
      responses: {
        200: { schema: z.string(), contentType: CSV, description: 'The records', example: EXAMPLE_CDR },
      },
      errors: [],
      handler: async ({ caller, query: { from, to }, mayUnmask }) => {
        const before = new Date(to.getTime() + 1);
        const csv = exports.csv([caller.projectId], { from, before }, { unmasked: await mayUnmask() });
        return csvReply(`cdr-${from.toISOString().slice(0, 10)}.csv`, csv);
      },
    }),
  ];
}
