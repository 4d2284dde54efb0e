import { z } from 'zod';
import { numberObject } from '../../../core/model/objects/number.js';
import type { NumberRow } from '../../../core/data/rows.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { OWNABLE_KINDS, readPattern, readPrefix, type NumberSearch } from '../../../core/model/number/search.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { NumberOwner } from '../../../core/services/numbers/number-assigner.js';
import type { ManageNumbers } from '../../../core/services/numbers/manage.js';
import type { OrderNumber } from '../../../core/services/numbers/order.js';
import { presentNumber } from '../../../core/services/numbers/present.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { kindOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam, phoneNumber, queryInt } from '../../http/schema/schemas.js';

const TAG = 'Numbers';

export interface NumberRoutesServices {
  readonly manage: ManageNumbers;
  readonly order: Pick<OrderNumber, 'order'>;
}

const type = z.enum(OWNABLE_KINDS);

export function viewNumber(row: NumberRow): z.output<typeof numberObject> {
  const shown = presentNumber(row);
  return { ...shown, status: shown.status === 'porting' ? 'porting' : 'assigned' };
}

const offeredNumber = z.strictObject({ e164: z.string(), type }).meta({ id: 'AvailableNumber' });

/** A number prefix; parsed to E.164. */
export const prefixInput = z
  .string()
  .min(1)
  .max(20)
  .meta({ examples: ['+96611'] })
  .transform((text, ctx) => {
    // A query string loses an unencoded plus.
    const read = readPrefix(text.replace(/^ (?=\d)/, '+'));
    if (read !== null) return read;
    ctx.addIssue({
      code: 'custom',
      message: bilingual(
        'must be the beginning of a number, such as +96611 or 011',
        'يجب أن يكون بداية رقم مثل `+96611` أو `011`',
      ),
    });
    return z.NEVER;
  });

const patternInput = z
  .string()
  .min(1)
  .max(40)
  .meta({ examples: ['*5555'] })
  .transform((text, ctx) => {
    const read = readPattern(text.trim());
    if (read !== null) return read;
    ctx.addIssue({
      code: 'custom',
      message: bilingual(
        'must be digits with * for any digits and ? for one, such as *5555',
        'يجب أن يتكوّن من أرقام مع `*` لأي عدد من الأرقام و`?` لرقم واحد، مثل `*5555`',
      ),
    });
    return z.NEVER;
  });

const search = {
  prefix: prefixInput.optional(),
  type: type.optional(),
  pattern: patternInput
    .optional()
    .describe('Pattern for the E.164 digits: `*` matches any number of digits, `?` exactly one'),
};

const LABEL = z.string().trim().min(1).max(100).nullable().describe('Your own label');

const params = z.strictObject({ id: idParam('NUMBER_NOT_FOUND') });

export function numberRoutes({ manage, order }: NumberRoutesServices): Route[] {
  const reading = { tag: TAG, scope: 'numbers:read', keyKind: 'any', method: 'GET' } as const;
  const writing = { tag: TAG, scope: 'numbers:write', keyKind: 'any' } as const;
  return [
    route({
      ...reading,
      path: '/v1/numbers',
      operationId: 'listNumbers',
      summary: 'List your numbers',
      summaryAr: 'عرض أرقامك',
      description:
        'The numbers of the project, newest first, including numbers that are being ported in. A sandbox key sees those of the sandbox, a live key the live ones.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(numberObject), description: 'One page of numbers' } },
      errors: [],
      handler: async ({ caller, query, cursors }) => {
        const rows = await manage.list(kindOf({ caller }), cursors.read(query.cursor), query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id, viewNumber) };
      },
    }),
    // Before one number: `available` is no id.
    route({
      ...reading,
      path: '/v1/numbers/available',
      operationId: 'listAvailableNumbers',
      summary: 'List available numbers',
      summaryAr: 'الأرقام المتاحة للطلب',
      description:
        'In numerical order, the operator’s numbers before those of providers. Numbers are not reserved: another customer can order one first.',
      query: z.strictObject({ ...search, limit: queryInt(1, 100).default(20) }),
      responses: {
        200: { schema: z.strictObject({ data: z.array(offeredNumber) }), description: 'Matching numbers' },
      },
      errors: ['NUMBER_PROVIDER_ERROR'],
      handler: async ({ query }) => {
        const found = await manage.available(searchOf(query), query.limit);
        return { status: 200, body: { data: found.map(({ e164, kind }) => ({ e164, type: kind })) } };
      },
    }),
    route({
      ...writing,
      keyKind: 'live',
      method: 'POST',
      path: '/v1/numbers',
      operationId: 'orderNumber',
      summary: 'Order a number',
      summaryAr: 'طلب رقم',
      description:
        'Orders the given number, or any number that matches `prefix`, `type` and `pattern`. The number is assigned immediately, and becomes the project’s main number if it has none. ' +
        'After `NUMBER_PROVIDER_ERROR` nothing is ordered; repeat the request to retry.',
      body: z.strictObject({ number: phoneNumber().optional(), ...search }),
      auditFields: ['number', 'prefix', 'type', 'pattern'],
      responses: { 201: { schema: numberObject, description: 'The number' } },
      errors: ['INVALID_PHONE_NUMBER', 'NUMBER_NOT_AVAILABLE', 'NUMBER_ALREADY_ASSIGNED', 'NUMBER_PROVIDER_ERROR'],
      handler: async ({ caller, body: { number, ...described } }) => {
        if (number !== undefined && Object.values(described).some((value) => value !== undefined)) {
          throw invalidField('number', NOT_BOTH);
        }
        if (number === undefined && Object.values(described).every((value) => value === undefined)) {
          throw invalidField('number', SOMETHING);
        }
        const wanted = number === undefined ? { search: searchOf(described) } : { e164: number };
        return { status: 201, body: viewNumber(await order.order(wanted, ownerOf(caller))) };
      },
    }),
    route({
      ...reading,
      path: '/v1/numbers/:id',
      operationId: 'getNumber',
      summary: 'Read a number',
      summaryAr: 'قراءة رقم',
      params,
      responses: { 200: { schema: numberObject, description: 'The number' } },
      errors: ['NUMBER_NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: viewNumber(await manage.get(kindOf({ caller }), id)),
      }),
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/numbers/:id',
      operationId: 'changeNumber',
      summary: 'Change a number',
      summaryAr: 'تعديل رقم',
      params,
      body: z.strictObject({ label: LABEL.optional() }),
      auditFields: ['label'],
      responses: { 200: { schema: numberObject, description: 'The number as it is now' } },
      errors: ['NUMBER_NOT_FOUND'],
      handler: async ({ caller, params: { id }, body }) => ({
        status: 200,
        body: viewNumber(await manage.change(kindOf({ caller }), id, body)),
      }),
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/numbers/:id',
      operationId: 'releaseNumber',
      summary: 'Release a number',
      summaryAr: 'تحرير رقم',
      description:
        'New calls to the number are refused; live calls continue. The number is quarantined (for 30 days unless the operator configures another period); ' +
        'your own number simply leaves the platform. A number assigned to an end user is released through its virtual number.',
      params,
      responses: { 204: { schema: null, description: 'Released' } },
      errors: ['NUMBER_NOT_FOUND', 'NUMBER_ALREADY_ASSIGNED', 'PORTING_INVALID_STATE'],
      handler: async ({ caller, params: { id } }) => {
        await manage.release(kindOf({ caller }), id);
        return { status: 204 };
      },
    }),
  ];
}

const NOT_BOTH = {
  en: 'is not combined with prefix, type or pattern',
  ar: 'لا يُجمع مع `prefix` أو `type` أو `pattern`',
};
const SOMETHING = {
  en: 'is required, or prefix, type or pattern in its place',
  ar: 'مطلوب، أو `prefix` أو `type` أو `pattern` بدلًا منه',
};

function searchOf(given: {
  readonly prefix?: string | undefined;
  readonly type?: NumberSearch['kind'] | undefined;
  readonly pattern?: string | undefined;
}): NumberSearch {
  return { prefix: given.prefix ?? null, kind: given.type ?? null, pattern: given.pattern ?? null };
}

/** The owner of the key's numbers. */
export function ownerOf({ projectId, organizationId, sandbox }: Caller): NumberOwner {
  return { projectId, organizationId, sandbox };
}
