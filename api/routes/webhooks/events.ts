import { z } from 'zod';
import { invalidField } from '../../../core/model/errors/index.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { EventFilter } from '../../../core/data/repositories/calls/events.js';
import type { EventRow } from '../../../core/data/rows.js';
import { exampleMessage } from '../../../core/model/events/definition.js';
import { definitionOf, type EventPattern } from '../../../core/model/events/index.js';
import { isId } from '../../../core/model/ids.js';
import { isoTime } from '../../../core/model/time.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { EventFeed } from '../../../core/services/events/feed.js';
import type { EventLog } from '../../../core/services/events/list.js';
import type { CustomerNumbers } from '../../../core/services/calls/customer-numbers.js';
import { eventBody, type EventBody } from '../../../core/services/webhooks/message.js';
import { OpenStreams, untilLeft } from '../../http/open-streams.js';
import { cursorPage } from '../../http/paging.js';
import { eventTypesFor } from '../../../core/model/events/permissions.js';
import { scopeOf } from '../../http/caller.js';
import { numberScopeOf } from '../../http/unmask.js';
import type { StreamEvent } from '../../http/reply.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput } from '../../http/schema/schemas.js';
import { eventPattern } from './webhooks.js';

export interface EventRoutesServices {
  readonly log: EventLog;
  readonly feed: EventFeed;
  readonly customerNumbers: CustomerNumbers;
  /** Maximum number of streams that one key has open in this process. */
  readonly streamsPerKey: number;
}

const TAG = 'Events';
const NO_EVENT_ID = { en: 'must be the `id` of an event of the stream', ar: 'يجب أن يكون `id` حدث من أحداث البث' };

const type = eventPattern.optional();

const data = z.record(z.string(), z.unknown());
const event = z
  .strictObject({
    id: idOutput.describe('Sent to receivers as `webhook-id`'),
    type: z.string().meta({ examples: ['call.answered'] }),
    timestamp: timeOutput,
    call_id: idOutput.nullable(),
    sequence: z.int().nullable().describe('Position in the call’s sequence of events, from 1'),
    sandbox: z.boolean(),
    data,
  })
  .meta({ id: 'Event' });

/** Payload of one message of the stream: the body of the webhook. */
const eventMessage = z.strictObject({ type: z.string(), timestamp: timeOutput, data }).meta({
  id: 'EventMessage',
  description: 'In the event stream, `id` is the event’s ID, `event` its type, and `data` this object.',
});

export function eventRoutes({ log, feed, customerNumbers, streamsPerKey }: EventRoutesServices): Route[] {
  const streams = new OpenStreams(streamsPerKey);
  return [
    route({
      method: 'GET',
      path: '/v1/events',
      operationId: 'listEvents',
      summary: 'List events',
      summaryAr: 'عرض الأحداث',
      description: 'Events of the project, newest first, whether or not a webhook endpoint received them.',
      tag: TAG,
      scope: 'webhooks:read',
      keyKind: 'any',
      query: z.strictObject({ ...cursorQuery, type, call_id: z.string().max(64).optional() }),
      responses: { 200: { schema: cursorList(event), description: 'One page of events' } },
      errors: [],
      handler: async ({ caller, query, cursors }) => {
        const beforeId = cursors.read(query.cursor);
        const filter = filterOf(caller, query.type, query.call_id);
        const rows = await log.list(filter, beforeId, query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, (row) => row.id, presentEvent) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/events/stream',
      operationId: 'streamEvents',
      ownRows: true,
      permission: 'calls:read',
      summary: 'Follow events live',
      summaryAr: 'متابعة الأحداث مباشرة',
      description:
        'Server-sent events, from now on or after the event named by `Last-Event-ID` or `after`. After a resumption an event can be sent twice; deduplicate by its ID. A key can have only a limited number of streams open.',
      tag: TAG,
      scope: 'webhooks:read',
      keyKind: 'any',
      query: z.strictObject({ after: idInput.optional(), type, call_id: z.string().max(64).optional() }),
      responses: {
        200: {
          schema: eventMessage,
          description: 'The stream',
          contentType: 'text/event-stream',
          example: exampleStream(),
        },
      },
      errors: ['EVENT_STREAM_LIMIT_EXCEEDED'],
      handler: async ({ caller, query, lastEventId, signal, mayUnmask }) => {
        if (lastEventId !== null && !isId(lastEventId)) throw invalidField('Last-Event-ID', NO_EVENT_ID);
        const resumed = lastEventId?.toLowerCase() ?? null;
        const filter = filterOf(caller, query.type, query.call_id);
        const leave = streams.enter(caller.id, signal);
        const unmasks = await mayUnmask().catch((error: unknown) => {
          leave();
          throw error;
        });
        const scope = numberScopeOf(caller);
        const show = async (body: EventBody): Promise<unknown> =>
          unmasks ? ((await customerNumbers.addTo(body, scope)) ?? body) : body;
        const events = feed.follow(filter, resumed ?? query.after ?? null, signal);
        const message = async (event: EventRow): Promise<StreamEvent> => {
          return { id: event.id, event: event.type, data: await show(eventBody(event)) };
        };
        return { status: 200, events: untilLeft(events, message, leave) };
      },
    }),
  ];
}

function exampleStream(): string {
  const type = 'call.answered';
  const message = { ...exampleMessage(type, definitionOf(type)), previous_sequence: undefined };
  return `id: 0197f3a0-5c00-7000-8000-000000000001\nevent: ${type}\ndata: ${JSON.stringify(message)}\n\n`;
}

/** Limits the filter to events that the key may see. A malformed call ID matches nothing. */
function filterOf(caller: Caller, type: EventPattern | undefined, callId: string | undefined): EventFilter {
  const types = caller.user && eventTypesFor(caller.user.permissions);
  const filter = { ...scopeOf({ caller }), types, patterns: null, callId: null };
  if (callId !== undefined && !isId(callId)) return { ...filter, patterns: [] };
  return {
    ...filter,
    callId: callId?.toLowerCase() ?? null,
    patterns: type === undefined ? null : [type],
  };
}

function presentEvent(row: EventRow): z.input<typeof event> {
  return {
    id: row.id,
    type: row.type,
    timestamp: isoTime(row.created_at),
    call_id: row.call_id,
    sequence: row.sequence,
    sandbox: row.sandbox,
    data: row.data as Record<string, unknown>,
  };
}
