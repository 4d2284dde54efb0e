import { z } from 'zod';
import { listResponse, selected } from '../../../core/model/scim/list.js';
import { DEFAULT_COUNT, MOST_COUNT } from '../../../core/model/scim/service.js';
import type { Document } from '../../../core/model/scim/shape.js';
import { LIST_MESSAGE, PATCH_MESSAGE } from '../../../core/model/scim/urns.js';
import type { ScimPage, WantedPage } from '../../../core/services/scim/page.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { idParam } from '../../http/schema/schemas.js';
import { SCIM_ROOT } from '../../http/scim/form.js';

export const SCIM_TAG = 'SCIM';

export const shared = { tag: SCIM_TAG, keyKind: 'scim', scope: null } as const;

/** The path of one resource. */
export const resourceParams = z.strictObject({ id: idParam('NOT_FOUND') });

/** The refusals of a change of one resource. */
export const CHANGE_ERRORS = ['NOT_FOUND', 'SCIM_REQUEST_INVALID', 'SCIM_CONFLICT', 'LAST_OWNER'] as const;

const text = z.string().max(2000);
/** RFC 7644 §3.4.2.4: what is too low or too high is not refused. */
const number = z
  .string()
  .max(12)
  .regex(/^-?\d+$/, bilingual('must be a whole number', 'يجب أن يكون عددًا صحيحًا'));

const attributes = {
  attributes: text.optional().describe('The attributes to return, comma-separated'),
  excludedAttributes: text.optional().describe('The attributes not to return, comma-separated'),
};

/** The query of one resource. */
export const resourceQuery = z.strictObject(attributes);

/** The query of a list. */
export const listQuery = z.strictObject({
  ...attributes,
  filter: text.min(1).optional().describe('Comparisons with `eq`, joined by `and`'),
  startIndex: number.optional().describe('The first resource, from 1'),
  count: number.optional().describe(`At most ${MOST_COUNT}; default ${DEFAULT_COUNT}`),
  sortBy: text.optional().describe('Lists are not sorted'),
  sortOrder: text.optional(),
});
type ListQuery = z.output<typeof listQuery>;

/** A resource as it is returned, with the attributes that the client asked for. */
export const resourceObject = z.looseObject({ schemas: z.array(z.string()), id: z.string() });

export const listObject = z
  .strictObject({
    schemas: z.array(z.literal(LIST_MESSAGE)),
    totalResults: z.int(),
    startIndex: z.int(),
    itemsPerPage: z.int(),
    Resources: z.array(z.looseObject({ schemas: z.array(z.string()) })),
  })
  .meta({ id: 'ScimList' });

export const patchBody = z.looseObject({
  schemas: z.array(z.literal(PATCH_MESSAGE)).min(1),
  Operations: z
    .array(
      z.looseObject({
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['add', 'remove', 'replace'])),
        path: text.min(1).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1000),
});

export function baseOf(publicUrl: string): string {
  return publicUrl + SCIM_ROOT;
}

export function pageOf({ filter, startIndex, count }: ListQuery): WantedPage & { readonly startIndex: number } {
  const first = Math.max(1, Number(startIndex ?? 1));
  const limit = Math.min(MOST_COUNT, Math.max(0, Number(count ?? DEFAULT_COUNT)));
  return { filter: filter ?? null, offset: first - 1, limit, startIndex: first };
}

export function listed<Item>(
  { items, total }: ScimPage<Item>,
  startIndex: number,
  query: ListQuery,
  present: (item: Item) => Document,
): z.output<typeof listObject> {
  const resources = items.map((item) => chosen(present(item), query));
  return listResponse(resources, total, startIndex) as z.output<typeof listObject>;
}

export function chosen(
  resource: Document,
  { attributes: wanted = '', excludedAttributes = '' }: Pick<ListQuery, 'attributes' | 'excludedAttributes'>,
): z.output<typeof resourceObject> {
  return selected(resource, wanted, excludedAttributes) as z.output<typeof resourceObject>;
}
