import type { HatifError } from '../errors/index.js';
import { ERROR_MESSAGE } from './urns.js';

/** The body of a failed request of a directory (RFC 7644 §3.12). */
export interface ScimErrorBody {
  readonly schemas: readonly (typeof ERROR_MESSAGE)[];
  readonly status: string;
  readonly scimType?: string;
  /** In English, then in Arabic: the people who read the log of a directory read one of them. */
  readonly detail: string;
}

/** An error in the form of SCIM. */
export function renderScimError(error: HatifError): ScimErrorBody {
  const type = typeOf(error);
  return {
    schemas: [ERROR_MESSAGE],
    status: String(error.status),
    ...(type !== null && { scimType: type }),
    detail: `${error.message} ${error.messageAr}`,
  };
}

/** The keyword that the standard has for the error; null if it has none. */
function typeOf({ code, slots }: HatifError): string | null {
  if (code === 'SCIM_REQUEST_INVALID') return typeof slots.scim_type === 'string' ? slots.scim_type : 'invalidValue';
  if (code === 'VALIDATION_ERROR') return 'invalidSyntax';
  return code === 'SCIM_CONFLICT' ? 'uniqueness' : null;
}
