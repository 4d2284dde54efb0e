import { arabic } from '../wording/wording.js';
import { HatifError } from './hatif-error.js';

/** The error for an organization that does not exist. */
export function unknownOrganization(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the organization ${id}`, ar: arabic`المؤسسة ${id}` } });
}
