import { ConnectionError } from 'sequelize';

/**
 * The database was unreachable, went down, or did not answer in time. The request may or may not
 * have taken effect; all writes here are safe to retry.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * What the work returns; while the database is unavailable, what `instead` returns. Any other error
 * rejects.
 */
export async function unlessUnavailable<T, I>(work: Promise<T>, instead: () => I): Promise<T | I> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return instead();
    throw error;
  }
}

const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // the socket file of a server that is down
]);

/**
 * PostgreSQL error codes (appendix A) besides class 08: shutdowns, startup, statement timeout, too
 * many connections, out of disk or memory, an I/O error, a read-only server (left behind by a
 * failover), and a deadlock resolved at our cost.
 */
const SQL_STATES = new Set([
  ...['57P01', '57P02', '57P03', '57P05', '57014'],
  ...['53300', '53100', '53200', '58030', '25006', '40P01'],
]);

/** Errors that pg raises without a code. */
const MESSAGES =
  /^(Connection terminated|Query read timeout|timeout expired|timeout exceeded|Client has encountered a connection error|Client was closed)/;

/**
 * Codes of a connection that is refused permanently: a setting is wrong, so waiting does not help.
 */
const WRONG_SETTINGS = /^(28|3D)/;

interface Coded {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly parent?: unknown;
}

/** The error that Sequelize wrapped, or the error itself. */
function original(error: Error & Coded): Error & Coded {
  return error.parent instanceof Error ? error.parent : error;
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code } = original(error);
  return typeof code === 'string' ? code : '';
}

/**
 * PostgreSQL's classes 22 (data exception) and 23 (integrity constraint violation): the server
 * never accepts these rows.
 */
export function isRefusedData(error: unknown): error is Error {
  return /^2[23]/.test(codeOf(error));
}

/** PostgreSQL's undefined_table: this database has not been set up. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

/**
 * Maps an error for callers: {@link DatabaseUnavailable} for every loss of the database, any other
 * error unchanged.
 */
export function asDatabaseError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const root = original(error);
  const code = typeof root.code === 'string' ? root.code : '';
  if (WRONG_SETTINGS.test(code)) return root;
  const lost =
    error instanceof ConnectionError ||
    SYSTEM_CODES.has(code) ||
    SQL_STATES.has(code) ||
    (code.length === 5 && code.startsWith('08')) ||
    MESSAGES.test(root.message);
  return lost
    ? new DatabaseUnavailable(`the database is not available: ${root.message || code}`, { cause: root })
    : error;
}

/** The name of the unique constraint or index that a write violated; null for any other error. */
export function violatedUnique(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const root = original(error);
  return root.code === '23505' && typeof root.constraint === 'string' ? root.constraint : null;
}

/** Why a call's effect was not written. Nothing was written. */
export class CallWriteError extends Error {
  constructor(
    readonly callId: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The engine has a new owner (its epoch is not the writer's), or the call belongs to another
 * engine.
 */
export class FencedError extends CallWriteError {
  override readonly name = 'FencedError';
}

/** The call is over; its final status never changes. */
export class FinalCallError extends CallWriteError {
  override readonly name = 'FinalCallError';
}

/** The call has advanced: its last sequence is higher than the effect's. */
export class StaleCallError extends CallWriteError {
  override readonly name = 'StaleCallError';
}
