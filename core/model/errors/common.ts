import { HatifError, type ErrorDetail, type HatifErrorOptions, type Phrase } from './hatif-error.js';

const invalidValue: Phrase = { en: 'the value is not valid', ar: 'القيمة غير صالحة' };
const wholeRequest: Phrase = { en: 'request', ar: 'الطلب' };

/**
 * The error for a request with invalid fields. The first detail also fills the message, so that a
 * client that shows only the message shows something actionable.
 */
export function validationError(
  details: readonly [ErrorDetail, ...ErrorDetail[]],
  options: Omit<HatifErrorOptions, 'details'> = {},
): HatifError<'VALIDATION_ERROR'> {
  return new HatifError('VALIDATION_ERROR', fieldAndProblem(details[0]), { ...options, details });
}

/** Fills the message of an error from its first detail. */
export function fieldAndProblem({ path, message, message_ar }: ErrorDetail): {
  readonly field: string | Phrase;
  readonly problem: Phrase;
} {
  return { field: path === '' ? wholeRequest : path, problem: { en: message, ar: message_ar ?? invalidValue.ar } };
}

/** What is wrong with one field. */
export function detailOf(path: string, problem: Phrase): ErrorDetail {
  return { path, message: problem.en, message_ar: problem.ar };
}

/** A validation error for one field. */
export function invalidField(path: string, problem: Phrase = invalidValue): HatifError<'VALIDATION_ERROR'> {
  return validationError([detailOf(path, problem)]);
}

/** An unexpected error; its cause goes to the log only. */
export function internalError(cause: unknown): HatifError<'INTERNAL_ERROR'> {
  const reason = { en: 'an unexpected fault occurred on our side', ar: 'حدث خلل غير متوقع لدينا' };
  return new HatifError('INTERNAL_ERROR', { reason }, { cause });
}

/** A messaging provider failed: 502, and the client may retry. */
export function messagingProviderFailed(retryAfterSeconds: number, cause?: unknown): HatifError<'INTERNAL_ERROR'> {
  const reason = { en: 'the messaging provider failed', ar: 'حدث خطأ لدى مزوّد خدمة الرسائل' };
  return new HatifError('INTERNAL_ERROR', { reason }, { status: 502, retryAfterSeconds, cause });
}

/**
 * The database is unavailable: 503, and the client may retry. Whether the request took effect is
 * unknown.
 */
export function databaseUnavailable(cause: unknown): HatifError<'INTERNAL_ERROR'> {
  const reason = { en: 'the database is not available for the moment', ar: 'قاعدة البيانات غير متاحة في الوقت الحالي' };
  return new HatifError('INTERNAL_ERROR', { reason }, { status: 503, retryAfterSeconds: 5, cause });
}
