import { z } from 'zod';
import type { ConsentChangeRow } from '../../../core/data/rows.js';
import {
  CONSENT_CHANNELS,
  CONSENT_CLASSES,
  CONSENT_SOURCES,
  CONSENT_STATUSES,
  TENANT_SOURCES,
} from '../../../core/model/contacts/consent.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { ConsentService, ConsentView } from '../../../core/services/contacts/consents.js';
import { kindOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam, timeInput } from '../../http/schema/schemas.js';
import { CONTACTS } from './contacts.js';

export interface ConsentRoutesServices {
  readonly consents: ConsentService;
}

const MAX_PROOF = 1_000;
/** What a client can say; `import` is what files say. */
const CLIENT_SOURCES = TENANT_SOURCES.filter((source) => source !== 'import') as [
  'api',
  ...(typeof TENANT_SOURCES)[number][],
];

const channel = z.enum(CONSENT_CHANNELS);
const messageClass = z.enum(CONSENT_CLASSES);
const source = z.enum(CONSENT_SOURCES);

const consentObject = z
  .strictObject({
    channel,
    address: z.string().describe('The number or e-mail address of the contact on this channel'),
    class: messageClass,
    status: z.enum(CONSENT_STATUSES).nullable().describe('Null: nothing was recorded'),
    source: source.nullable(),
    locked_by_end_user: z.boolean().describe('The person opted out; only the person can opt in again'),
    changed_at: timeOutput.nullable(),
    allowed_now: z.boolean().describe('Whether a message may be sent now: no opt-out, and no quiet hours'),
    quiet_until: timeOutput.nullable().describe('Until when it is quiet for the contact; null if it is not'),
  })
  .meta({ id: 'Consent' });
const consentList = z.strictObject({ data: z.array(consentObject) });

const changeObject = z
  .strictObject({
    id: idOutput,
    channel,
    address: z.string(),
    class: messageClass,
    status: z.enum(CONSENT_STATUSES),
    source,
    proof: z.string().nullable(),
    recorded_by: idOutput.nullable().describe('The API key or user; null: the person, or an import'),
    given_at: timeOutput.describe('When the person said it'),
    created_at: timeOutput.describe('When it was recorded'),
  })
  .meta({ id: 'ConsentChange' });

const body = z.strictObject({
  status: z.enum(CONSENT_STATUSES),
  channels: z.array(channel).min(1).optional().describe('By default all channels that reach the contact'),
  classes: z.array(messageClass).min(1).default(['promotional', 'awareness']),
  source: z.enum(CLIENT_SOURCES).default('api').describe('How the person said it'),
  proof: z.string().trim().min(1).max(MAX_PROOF).optional().describe('Where it can be found again: a form, a file'),
  given_at: timeInput().optional(),
});
const params = z.strictObject({ id: idParam('NOT_FOUND') });

const reading = { ...CONTACTS, method: 'GET', scope: 'contacts:read' } as const;

/** Which messages contacts want. */
export function consentRoutes({ consents }: ConsentRoutesServices): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/contacts/:id/consents',
      operationId: 'listConsents',
      summary: 'Read which messages a contact wants',
      summaryAr: 'قراءة موافقات جهة اتصال',
      description:
        'Every class on every channel that reaches the contact. A wish belongs to the number or the address: it outlives the contact. Messages of the class `service` need no consent.',
      params,
      responses: { 200: { schema: consentList, description: 'All classes and channels' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: { data: (await consents.list(scopeOf({ caller }), id)).map(presentConsent) },
      }),
    }),
    route({
      ...CONTACTS,
      scope: 'contacts:write',
      method: 'POST',
      path: '/v1/contacts/:id/consents',
      operationId: 'recordConsent',
      summary: 'Record which messages a contact wants',
      summaryAr: 'تسجيل موافقة جهة اتصال أو رفضها',
      description:
        'Records what you learned of the wish of a person, for all of the channels and classes or for none. Where the person opted out by a message or a link, an opt-in answers `CONSENT_LOCKED_BY_END_USER`, also if that happened at the same moment. New opt-outs cause `contact.opted_out`.',
      params,
      body,
      auditFields: ['status', 'channels', 'classes', 'source'],
      responses: { 200: { schema: consentList, description: 'All classes and channels as they are now' } },
      errors: ['NOT_FOUND', 'CONSENT_LOCKED_BY_END_USER'],
      handler: async ({ caller, params: { id }, body: { given_at, proof, ...wish } }) => {
        const recorded = { ...wish, proof: proof ?? null, givenAt: given_at ?? null, recordedBy: caller.id };
        const views = await consents.record(kindOf({ caller }), id, recorded);
        return { status: 200, body: { data: views.map(presentConsent) } };
      },
    }),
    route({
      ...reading,
      path: '/v1/contacts/:id/consents/history',
      operationId: 'listConsentChanges',
      summary: 'Read what a contact said of messages',
      summaryAr: 'عرض سجل موافقات جهة اتصال',
      description:
        'Everything that was recorded for the number and the address, newest first. Nothing of it can be changed.',
      params,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(changeObject), description: 'One page of the history' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id }, query: { cursor, limit }, cursors }) => {
        const rows = await consents.history(scopeOf({ caller }), id, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, (row) => row.id, presentChange) };
      },
    }),
  ];
}

function presentConsent(view: ConsentView): z.output<typeof consentObject> {
  const { consent, verdict } = view;
  const quiet = verdict.checks.find(({ rule }) => rule === 'message_hours');
  return {
    ...{ channel: view.channel, address: view.address, class: view.class },
    ...{ status: consent?.status ?? null, source: consent?.source ?? null },
    locked_by_end_user: consent?.is_locked ?? false,
    changed_at: isoTime(consent?.changed_at ?? null),
    allowed_now: verdict.isAllowed,
    quiet_until: isoTime(quiet?.until ?? null),
  };
}

function presentChange(row: ConsentChangeRow): z.output<typeof changeObject> {
  const { id, address, status, proof, recorded_by } = row;
  return {
    ...{ id, channel: row.channel, address, class: row.class, status, source: row.source, proof, recorded_by },
    given_at: isoTime(row.given_at),
    created_at: isoTime(row.created_at),
  };
}
