import { fillSlots, plainArabic } from '../wording/wording.js';
import { ERROR_CATALOGUE, type ErrorCode, type SlotName } from './catalogue.js';

/** A phrase in both languages. In the Arabic one, values of another script are in backticks, which become direction isolates. */
export interface Phrase {
  readonly en: string;
  readonly ar: string;
}

/** The value of a slot: the same text in both languages, or one for each. */
export type SlotValue = string | number | Phrase;

/** One invalid field of a request, named by its path (`to`, `connect.target`). */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
  readonly message_ar?: string;
}

export interface HatifErrorOptions {
  readonly details?: readonly ErrorDetail[];
  /** Sent as `Retry-After`; taken from the slot `retry_after_seconds` if the code has one. */
  readonly retryAfterSeconds?: number;
  /**
   * Overrides the status of INTERNAL_ERROR: 502 if a messaging provider failed, 503 while the
   * database is unavailable; of VALIDATION_ERROR: 416 for a range that a file does not have; and of
   * NOT_FOUND: 405 for a method that the path does not have.
   */
  readonly status?: 405 | 416 | 502 | 503;
  /** The underlying error; logged, never sent to the client. */
  readonly cause?: unknown;
}

export type SlotsOf<C extends ErrorCode> = Readonly<Record<SlotName<C>, SlotValue>>;

type ErrorArguments<C extends ErrorCode> = [SlotName<C>] extends [never]
  ? [slots?: Readonly<Record<string, never>>, options?: HatifErrorOptions]
  : [slots: SlotsOf<C>, options?: HatifErrorOptions];

/**
 * A failure that the API returns with a code of the catalogue.
 *
 * `new HatifError('CALL_NOT_FOUND', { call_id })`: omitting a slot of the message is a compile
 * error.
 */
export class HatifError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'HatifError';
  readonly code: C;
  readonly slots: Readonly<Record<string, SlotValue>>;
  readonly status: number;
  readonly messageAr: string;
  readonly details: readonly ErrorDetail[] | null;
  readonly retryAfterSeconds: number | null;

  constructor(code: C, ...[slots = {}, options = {}]: ErrorArguments<C>) {
    const row = ERROR_CATALOGUE[code];
    super(
      fillSlots(row.message, 'en', (name) => slotText(slots, name, 'en')),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.slots = slots;
    this.status = options.status ?? row.status;
    this.messageAr = fillSlots(row.message_ar, 'ar', (name) => slotText(slots, name, 'ar'));
    this.details = options.details?.map(withPlainArabic) ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? secondsIn(slots);
  }
}

/**
 * Long enough for any id, number or sentence of ours, and keeps a hostile value from filling the
 * response.
 */
const LONGEST_SLOT = 300;

function slotText(
  slots: Readonly<Record<string, SlotValue>>,
  name: string,
  language: keyof Phrase,
): string | number | undefined {
  const value = Object.hasOwn(slots, name) ? slots[name] : undefined;
  if (typeof value !== 'object') return typeof value === 'string' ? cut(value) : value;
  return cut(language === 'ar' ? plainArabic(value.ar) : value.en);
}

function cut(text: string): string {
  if (text.length <= LONGEST_SLOT) return text;
  const start = text.slice(0, LONGEST_SLOT);
  // An isolate that lost its end would take the rest of the message with it.
  const open = start.split('\u2068').length - start.split('\u2069').length;
  return `${start}${'\u2069'.repeat(Math.max(0, open))}…`;
}

function withPlainArabic(detail: ErrorDetail): ErrorDetail {
  return detail.message_ar === undefined ? detail : { ...detail, message_ar: plainArabic(detail.message_ar) };
}

function secondsIn(slots: Readonly<Record<string, SlotValue>>): number | null {
  const seconds = slots.retry_after_seconds;
  return typeof seconds === 'number' ? seconds : null;
}
