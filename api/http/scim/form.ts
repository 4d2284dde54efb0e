import { z } from 'zod';
import { ERROR_MESSAGE } from '../../../core/model/scim/urns.js';

/** RFC 7644 §8.1 */
export const SCIM_MEDIA_TYPE = 'application/scim+json';

/** Everything below it is SCIM's, also paths that do not exist. */
export const SCIM_ROOT = '/scim/v2';

/** Of every answer with a body. */
export const SCIM_HEADERS = { 'Content-Type': `${SCIM_MEDIA_TYPE}; charset=utf-8` };

export const scimErrorSchema = z
  .strictObject({
    schemas: z.array(z.literal(ERROR_MESSAGE)),
    status: z.string(),
    scimType: z.string().optional(),
    detail: z.string().describe('What happened, in English and then in Arabic'),
  })
  .meta({ id: 'ScimError' });

export function isScimPath(path: string): boolean {
  return path === SCIM_ROOT || path.startsWith(`${SCIM_ROOT}/`);
}
