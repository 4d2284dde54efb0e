import { DatabaseUnavailable } from '../../core/data/errors.js';
import { errorRow, HatifError, isErrorCode } from '../../core/model/errors/index.js';

/** What a command ends with; 0 is success. */
export const EXIT = {
  /** Refused, not found, or failed on the other side. */
  failed: 1,
  /** Wrong options. */
  usage: 2,
  /** The platform or one of its parts is not there. */
  unreachable: 3,
  /** `hatif call`: the call ended without an answer. */
  unanswered: 4,
} as const;

/** A failure in plain words, with what to do about it where we know. */
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

/** Any error as one that can be shown; null for a fault of ours, whose stack belongs on the screen. */
export function asCliError(error: unknown): CliError | null {
  if (error instanceof CliError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new CliError('The database does not answer.', EXIT.unreachable, 'Is the platform running? npm start');
  }
  if (error instanceof HatifError) return new CliError(error.message, EXIT.failed, adviceFor(String(error.code)));
  return null;
}

/** What the catalogue advises; of a wrong value the message says enough. */
export function adviceFor(code: string): string | null {
  return code === 'VALIDATION_ERROR' || !isErrorCode(code) ? null : errorRow(code).hint;
}
