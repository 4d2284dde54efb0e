import { EventEmitter, once } from 'node:events';
import { z } from 'zod';
import { cursorPage } from '../../api/http/paging.js';
import { route, type Route } from '../../api/http/route.js';
import {
  cursorList,
  cursorQuery,
  destination,
  eitherPaging,
  fromBeforeTo,
  idParam,
  metadata,
  phoneNumber,
  queryBoolean,
  timeInput,
} from '../../api/http/schema/schemas.js';
import { HatifError } from '../../core/model/errors/index.js';

/** The parts of a route definition that do not matter in a test; only the method is missing. */
export const THINGS = {
  path: '/v1/things',
  operationId: 'things',
  summary: 'Things',
  tag: 'Things',
  scope: 'calls:read',
  keyKind: 'any',
  responses: { 204: { schema: null, description: 'Nothing' } },
  errors: [],
  handler: () => ({ status: 204 as const }),
} as const;

/** Lets a test block a handler and count its runs. */
export class Gate extends EventEmitter {
  runs = 0;
  held = false;

  async pass(): Promise<void> {
    this.runs += 1;
    this.emit('entered');
    if (this.held) await once(this, 'open');
  }

  recovering(): Promise<void> {
    this.emit('recovering');
    return Promise.resolve();
  }

  /** Resolves when a handler starts. Call it before the request is sent. */
  async entered(): Promise<void> {
    await once(this, 'entered');
  }

  open(): void {
    this.held = false;
    this.emit('open');
  }
}

const order = z
  .strictObject({ order_id: z.string(), to: z.string(), secret: z.string().nullable(), run: z.int() })
  .meta({ id: 'Order' });

/** Routes of a small shop that only tests use: one for each feature of a route definition. */
export function sampleRoutes(gate: Gate): Route[] {
  const common = { tag: 'Shop', keyKind: 'any', scope: 'calls:write' } as const;
  const made = (to: string) => ({ order_id: 'o-1', to, secret: 'whsec_visible_once', run: gate.runs });
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/orders',
      operationId: 'placeOrder',
      summary: 'Place an order',
      body: z.strictObject({
        to: phoneNumber(),
        connect: destination(['agent', 'number', 'sip']).optional(),
        metadata: metadata.optional(),
        size: z.int().min(1).max(9).default(1),
      }),
      auditFields: ['to', 'size'],
      secretFields: ['secret'],
      responses: { 201: { schema: order, description: 'The order', headers: { Location: 'Where it is' } } },
      errors: ['INVALID_PHONE_NUMBER', 'CALL_FAILED'],
      recover: async ({ requestId }) => {
        await gate.recovering();
        if (requestId !== 'died-after-the-effect') return null;
        return { status: 201, body: { ...made('+966500000000'), run: 0 } };
      },
      handler: async ({ body }) => {
        await gate.pass();
        if (body.size === 9) throw new HatifError('CALL_FAILED', { reason: { en: 'no engine', ar: 'لا يوجد محرك' } });
        return { status: 201, body: made(body.to), headers: { Location: '/v1/orders/o-1' } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/orders',
      operationId: 'listOrders',
      summary: 'List orders',
      scope: 'calls:read',
      query: z
        .strictObject({
          ...cursorQuery,
          from: timeInput().optional(),
          to: timeInput().optional(),
          number: phoneNumber().optional(),
          open: queryBoolean().optional(),
        })
        .refine(...fromBeforeTo),
      responses: {
        200: {
          schema: cursorList(z.strictObject({ n: z.int() })).extend({ seen: z.record(z.string(), z.unknown()) }),
          description: 'One page',
        },
      },
      errors: ['INVALID_PHONE_NUMBER'],
      handler: ({ query, cursors }) => {
        const { cursor, limit, from, to, number, open } = query;
        const after = Number(cursors.read(cursor) ?? 0);
        const rows = Array.from({ length: 25 }, (_, index) => index + 1).filter((n) => n > after);
        const page = cursorPage(rows.slice(0, limit + 1), limit, cursors, String, (n) => ({ n }));
        const seen = { from: from?.toISOString() ?? null, to: to?.toISOString() ?? null, number, open };
        return { status: 200, body: { ...page, seen } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/order-pages',
      operationId: 'pageOrders',
      summary: 'List orders in either mode',
      scope: 'calls:read',
      query: eitherPaging({ status: z.enum(['open', 'done']).optional() }),
      responses: { 200: { schema: z.looseObject({ mode: z.string() }), description: 'The paging' } },
      errors: [],
      handler: ({ query }) => ({ status: 200, body: { ...query.paging } }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/orders/:order_id',
      operationId: 'getOrder',
      summary: 'Read an order',
      scope: null,
      deprecated: new Date('2026-01-01T00:00:00Z'),
      sunset: new Date('2027-01-01T00:00:00Z'),
      params: z.strictObject({ order_id: idParam('CALL_NOT_FOUND') }),
      responses: { 200: { schema: z.strictObject({ order_id: z.string() }), description: 'The order' } },
      errors: ['CALL_NOT_FOUND'],
      handler: ({ params }) => ({ status: 200, body: params }),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/v1/orders/:order_id',
      operationId: 'deleteOrder',
      summary: 'Delete an order',
      keyKind: 'live',
      params: z.strictObject({ order_id: idParam('CALL_NOT_FOUND') }),
      responses: { 204: { schema: null, description: 'Gone' } },
      errors: ['CALL_NOT_FOUND'],
      handler: () => ({ status: 204 }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/orders/:order_id/digits',
      operationId: 'sendDigits',
      summary: 'Send digits',
      flag: 'in_call_control',
      params: z.strictObject({ order_id: idParam('CALL_NOT_FOUND') }),
      body: z.strictObject({ digits: z.string().regex(/^[0-9*#]{1,32}$/) }),
      responses: { 200: { schema: z.strictObject({ ok: z.boolean() }), description: 'Sent' } },
      errors: ['CALL_NOT_FOUND'],
      handler: () => ({ status: 200, body: { ok: true } }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/orders/:order_id/hurry',
      operationId: 'hurryOrder',
      summary: 'Needs no body and may be asked for twice a minute',
      rateLimit: { perMinute: 2 },
      params: z.strictObject({ order_id: z.string() }),
      responses: { 200: { schema: z.strictObject({ ok: z.boolean() }), description: 'Hurried' } },
      errors: ['NOT_FOUND'],
      handler: () => ({ status: 200, body: { ok: true } }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/order-audio',
      operationId: 'uploadOrderAudio',
      summary: 'Upload',
      upload: { field: 'file', maxBytes: 2048, description: 'The audio' },
      body: z.strictObject({ name: z.string().max(20).optional() }),
      responses: {
        201: { schema: z.strictObject({ bytes: z.int(), name: z.string() }), description: 'What came' },
      },
      errors: [],
      handler: ({ file, body }) => ({
        status: 201,
        body: { bytes: file?.size ?? 0, name: body.name ?? file?.name ?? '' },
      }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/order-stream',
      operationId: 'streamOrders',
      summary: 'Stream',
      responses: { 200: { schema: z.string(), description: 'Events', contentType: 'text/event-stream' } },
      errors: [],
      handler: ({ signal }) => ({ status: 200, events: ticks(gate, signal) }),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/order-open',
      operationId: 'readOpen',
      summary: 'Without a key',
      scope: null,
      keyKind: 'none',
      responses: { 200: { schema: z.strictObject({ key: z.null() }), description: 'Always' } },
      errors: [],
      handler: async ({ caller }) => {
        await gate.pass();
        return { status: 200, body: { key: caller } };
      },
    }),
  ];
}

async function* ticks(gate: Gate, signal: AbortSignal): AsyncGenerator<{ id: string; event: string; data: unknown }> {
  try {
    for (let n = 1; !signal.aborted; n++) {
      yield { id: String(n), event: 'tick', data: { n, text: 'line one\nline two' } };
      await once(gate, 'tick', { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    gate.emit('stream-ended');
  }
}
