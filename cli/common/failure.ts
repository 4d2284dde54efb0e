import { DatabaseUnavailable } from '../../core/data/errors.js';
import type { Commands } from '../../core/model/commands.js';
import { errorRow, HatifError, isErrorCode, type ErrorCode } from '../../core/model/errors/index.js';

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

/** What to do about a failure; commands in it depend on where they are typed. */
export type Hint = string | ((commands: Commands) => string);

export const IS_IT_RUNNING: Hint = ({ start }) => `Is the platform running? ${start()}`;

/** A failure with a message for people, and a hint if there is one. */
export class CliError extends Error {
  override readonly name = 'CliError';
  constructor(
    message: string,
    readonly exitCode: number = EXIT.failed,
    readonly hint: Hint | null = null,
  ) {
    super(message);
  }
}

/** A refusal of the API: another installation's service refused what it was asked for. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  constructor(
    /** Of the catalogue, or of that of a newer version. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The code of a refusal, by a service here or by another installation; null for any other error. */
export function refusalCode(error: unknown): string | null {
  return error instanceof HatifError || error instanceof ApiRefusal ? String(error.code) : null;
}

/** Converts an error into one for people; null for an unexpected one, whose stack is shown. */
export function asCliError(error: unknown): CliError | null {
  if (error instanceof CliError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new CliError('The database does not answer.', EXIT.unreachable, IS_IT_RUNNING);
  }
  const code = refusalCode(error);
  if (code === null || !(error instanceof Error)) return null;
  return new CliError(error.message, EXIT.failed, adviceFor(code));
}

/** Hints for people at a terminal, where those of the catalogue are for clients of the API. */
const OWN_ADVICE: Partial<Record<ErrorCode, Hint | null>> = {
  // The message says enough.
  VALIDATION_ERROR: null,
  NOT_FOUND: null,
  API_KEY_NOT_FOUND: listedBy('keys list'),
  CALL_FAILED: listedBy('trunks list'),
  CALL_NOT_FOUND: listedBy('calls list'),
  CLI_NOT_OWNED: listedBy('numbers list'),
  INVOICE_NOT_FOUND: listedBy('invoice list'),
  NUMBER_NOT_FOUND: listedBy('numbers list'),
  PAYMENT_NOT_FOUND: listedBy('payments list'),
  PORTING_NOT_FOUND: listedBy('porting list'),
  RATE_PLAN_NOT_FOUND: listedBy('rates list'),
  RECORDING_NOT_FOUND: listedBy('recordings list'),
  VOICE_AUTH_BRAND_NOT_FOUND: listedBy('brands list'),
  WEBHOOK_NOT_FOUND: ({ hatif }) => `The lists: ${hatif('webhooks list')}, ${hatif('webhooks deliveries <endpoint>')}`,
};

function listedBy(words: string): Hint {
  return ({ hatif }) => `The list: ${hatif(words)}`;
}

/** What to do about an error; null if its message says enough. */
export function adviceFor(code: string): Hint | null {
  if (!isErrorCode(code)) return null;
  const own = OWN_ADVICE[code];
  return own === undefined ? errorRow(code).hint : own;
}
