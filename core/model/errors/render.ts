import type { ErrorCode } from './catalogue.js';
import type { ErrorDetail, HatifError } from './hatif-error.js';

/** The body of every failed request. */
export interface ErrorEnvelope {
  readonly error_code: ErrorCode;
  readonly message: string;
  readonly message_ar: string;
  readonly request_id: string;
  readonly docs_url: string;
  readonly details?: readonly ErrorDetail[];
}

/** The URL of a code's page in the served documentation. */
export function docsUrl(code: ErrorCode, docsBaseUrl: string): string {
  return `${docsBaseUrl.replace(/\/+$/, '')}/errors/${code}`;
}

/** Builds the response body of a failed request. */
export function renderError(error: HatifError, requestId: string, docsBaseUrl: string): ErrorEnvelope {
  return {
    error_code: error.code,
    message: error.message,
    message_ar: error.messageAr,
    request_id: requestId,
    docs_url: docsUrl(error.code, docsBaseUrl),
    ...(error.details === null ? {} : { details: error.details }),
  };
}
