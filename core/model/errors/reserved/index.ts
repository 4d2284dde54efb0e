import { RESERVED_ACCOUNT_ERRORS } from './accounts.js';
import { RESERVED_MESSAGING_ERRORS } from './messaging.js';
import { NATIONAL_ID_ERRORS } from './national-id.js';
import { RESERVED_PRODUCTION_ACCESS_ERRORS } from './production-access.js';
import { SIGNUP_ERRORS } from './signup.js';
import { WEB_CALLING_ERRORS } from './web-calling.js';

/**
 * Codes reserved for features that are not built yet: no route of this release returns them. When
 * a feature is built, its codes move to a family outside this folder.
 */
export const RESERVED_ERRORS = {
  ...RESERVED_ACCOUNT_ERRORS,
  ...RESERVED_MESSAGING_ERRORS,
  ...NATIONAL_ID_ERRORS,
  ...RESERVED_PRODUCTION_ACCESS_ERRORS,
  ...SIGNUP_ERRORS,
  ...WEB_CALLING_ERRORS,
} as const;
