export {
  databaseUnavailable,
  detailOf,
  fieldAndProblem,
  internalError,
  invalidField,
  messagingProviderFailed,
  validationError,
} from './common.js';
export {
  ERROR_CATALOGUE,
  ERROR_CODES,
  RESERVED_CODES,
  errorRow,
  isErrorCode,
  isReserved,
  type ErrorCode,
  type SlotName,
} from './catalogue.js';
export {
  HatifError,
  type ErrorDetail,
  type HatifErrorOptions,
  type Phrase,
  type SlotsOf,
  type SlotValue,
} from './hatif-error.js';
export { docsUrl, renderError, type ErrorEnvelope } from './render.js';
export type { ErrorRow } from './row.js';
export { unknownOrganization } from './unknown.js';
