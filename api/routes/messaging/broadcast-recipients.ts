import { z } from 'zod';
import { RECIPIENT_STATUSES, SKIP_REASONS } from '../../../core/model/broadcasts/broadcast.js';
import { broadcastRecipient } from '../../../core/model/objects/broadcast.js';
import { presentRecipient } from '../../../core/services/broadcasts/present.js';
import { REPORT_COLUMNS, type ReadBroadcasts } from '../../../core/services/broadcasts/read.js';
import { scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { CSV, csvReply } from '../../http/reply.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

const params = z.strictObject({ id: idParam('NOT_FOUND') });
const common = { tag: 'Broadcasts', keyKind: 'any', flag: 'messages' } as const;
const reading = { ...common, method: 'GET', scope: 'broadcasts:read' } as const;

const EXAMPLE = [
  REPORT_COLUMNS.join(','),
  '1,+966501234517,,A,delivered,,,,1,01934f7a-6f70-7182-9d34-2e1f0a9b8c73,2026-01-31T06:00:00.412Z,2026-01-31T06:00:04.120Z,',
  '2,,,,skipped,invalid_address,,,0,,,,',
  '',
].join('\r\n');

/** The outcome of a broadcast for each recipient. */
export function broadcastRecipientRoutes(read: ReadBroadcasts): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/broadcasts/:id/recipients',
      operationId: 'listBroadcastRecipients',
      summary: 'List the recipients of a broadcast',
      summaryAr: 'عرض مستلمي حملة',
      description: 'In the order of their numbers, each with the outcome of the message.',
      params,
      query: z.strictObject({
        ...cursorQuery,
        status: z.enum(RECIPIENT_STATUSES).optional(),
        skip_reason: z.enum(SKIP_REASONS).optional(),
      }),
      responses: { 200: { schema: cursorList(broadcastRecipient), description: 'One page' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { cursor, limit, status, skip_reason } = ctx.query;
        const broadcast = await read.get(scopeOf(ctx), ctx.params.id);
        const filter = { status: status ?? null, skipReason: skip_reason ?? null };
        const rows = await read.recipients(broadcast, filter, Number(ctx.cursors.read(cursor) ?? 0), limit + 1);
        const present = (row: (typeof rows)[number]) => presentRecipient(row, broadcast);
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, ({ number }) => String(number), present) };
      },
    }),
    route({
      ...reading,
      path: '/v1/broadcasts/:id/report',
      operationId: 'exportBroadcastReport',
      summary: 'Export the report of a broadcast as CSV',
      summaryAr: 'تصدير تقرير حملة بصيغة CSV',
      description: `One line for each recipient, by number, as it is now. The columns and their order are stable: ${REPORT_COLUMNS.map((name) => `\`${name}\``).join(', ')}. Times are in UTC. If the connection breaks off, the report is incomplete.`,
      params,
      responses: { 200: { schema: z.string(), contentType: CSV, description: 'The report', example: EXAMPLE } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const broadcast = await read.get(scopeOf(ctx), ctx.params.id);
        return csvReply(`broadcast-${broadcast.id}.csv`, read.report(broadcast));
      },
    }),
  ];
}
