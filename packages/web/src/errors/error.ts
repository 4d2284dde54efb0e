import { ERRORS, type OwnCode, type Text } from './texts.js';

interface ErrorDetails extends Text {
  /** The HTTP or SIP status of the answer. */
  readonly status: number | null;
  readonly cause?: unknown;
}

/**
 * Whatever goes wrong: `code` is one of the package's own codes or of the platform's error codes; the texts are in both
 * languages.
 */
export class HatifError extends Error {
  override readonly name = 'HatifError';
  readonly messageAr: string;
  readonly hint: string;
  readonly hintAr: string;
  readonly status: number | null;

  constructor(
    readonly code: string,
    { message, messageAr, hint, hintAr, status, cause }: ErrorDetails,
  ) {
    super(message, { cause });
    this.messageAr = messageAr;
    this.hint = hint;
    this.hintAr = hintAr;
    this.status = status;
  }
}

/** An error of the package itself. @param status of the answer, if there was one */
export function ownError(code: OwnCode, cause?: unknown, status: number | null = null): HatifError {
  return new HatifError(code, { ...ERRORS[code], status, cause });
}

/** The platform's error envelope, as far as this package reads it. */
interface Envelope {
  readonly error_code?: unknown;
  readonly message?: unknown;
  readonly message_ar?: unknown;
  readonly docs_url?: unknown;
}

/** The error of an answer of the platform. @param body parsed; anything, if another server answered */
export function answeredError(status: number, body: unknown): HatifError {
  const { error_code: code, message, message_ar: messageAr, docs_url: docs } = (body ?? {}) as Envelope;
  if (typeof code !== 'string' || typeof message !== 'string') return ownError('UNREACHABLE', body, status);
  const hint = typeof docs === 'string' ? docs : '';
  return new HatifError(code, {
    ...{ message, messageAr: typeof messageAr === 'string' ? messageAr : message },
    ...{ hint, hintAr: hint, status },
  });
}
