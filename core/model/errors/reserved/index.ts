import { RESERVED_MESSAGING_ERRORS } from './messaging.js';
import { WEB_CALLING_ERRORS } from './web-calling.js';

/**
 * Codes reserved for features that are not built yet: no route of this release returns them. When
 * a feature is built, its codes move to a family outside this folder.
 */
export const RESERVED_ERRORS = {
  ...RESERVED_MESSAGING_ERRORS,
  ...WEB_CALLING_ERRORS,
} as const;
