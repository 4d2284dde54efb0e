import { HatifError, type Phrase } from '../errors/index.js';
import { arabic } from '../wording/wording.js';

/** What a directory does wrong (RFC 7644 §3.12, table 9). */
export type ScimType = 'invalidFilter' | 'invalidSyntax' | 'invalidPath' | 'noTarget' | 'invalidValue';

export function scimFault(type: ScimType, problem: Phrase): HatifError<'SCIM_REQUEST_INVALID'> {
  return new HatifError('SCIM_REQUEST_INVALID', { scim_type: type, problem });
}

/** An attribute is missing, or its value cannot be used. */
export function badAttribute(path: string): HatifError<'SCIM_REQUEST_INVALID'> {
  return scimFault('invalidValue', {
    en: `the attribute ${path} is missing, or its value cannot be used`,
    ar: arabic`الخاصية ${path} غير موجودة أو لا يمكن استخدام قيمتها`,
  });
}
