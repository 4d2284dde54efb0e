import { DatabaseUnavailable } from '../../core/data/errors.js';
import { errorRow, HatifError, isErrorCode } from '../../core/model/errors/index.js';

/** Exit codes of commands; 0 is success. */
export const EXIT = {
  /** Refused, not found, or failed. */
  failed: 1,
  /** Wrong options. */
  usage: 2,
  /** The platform or one of its parts is unreachable. */
  unreachable: 3,
  /** `hatif call`: the call was not answered. */
  unanswered: 4,
} as const;

/** A failure with a message for people, and a hint if there is one. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
    readonly hint: string | null = null,
  ) {
    super(message);
  }
}

/** Converts an error into one for people; null for an unexpected one, whose stack is shown. */
export function asCliError(error: unknown): CliError | null {
  if (error instanceof CliError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new CliError('The database does not answer.', EXIT.unreachable, 'Is the platform running? npm start');
  }
  if (error instanceof HatifError) return new CliError(error.message, EXIT.failed, adviceFor(String(error.code)));
  return null;
}

/** The catalogue's hint; none for an invalid value, whose message says enough. */
export function adviceFor(code: string): string | null {
  return code === 'VALIDATION_ERROR' || !isErrorCode(code) ? null : errorRow(code).hint;
}
