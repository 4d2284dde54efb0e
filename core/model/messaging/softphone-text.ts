import type { FailureReason } from './failure.js';

/** A text for the phones of a softphone, or a part of one (SIP MESSAGE, RFC 3428). Never log it whole. */
export interface SoftphoneText {
  readonly aor: string;
  /** What the phone shows as the sender: E.164, an extension or a name. */
  readonly from: string;
  readonly body: string;
}

/** A text that a softphone has sent. */
export interface ReceivedText {
  readonly aor: string;
  /** The user part of the address that it names: a number, an extension, or anything else. */
  readonly target: string;
  /** Empty if the engine has dropped it, because it was too long. */
  readonly body: string;
  /** Of the SIP request; null if the engine does not report it. */
  readonly callId: string | null;
}

/**
 * The outcome of a text.
 *
 * - `delivered`: a phone has confirmed it
 * - `passed_on`: it was sent to the phones, and nobody learns what they answer
 * - `not_registered`: there is no phone; nothing was sent
 * - `refused`: every phone refused it, or none answered in time
 */
export type TextResult =
  | { readonly result: 'delivered' | 'passed_on' | 'not_registered' }
  | {
      readonly result: 'refused';
      /** The SIP status; null if it is not known. */
      readonly status: number | null;
    };

/** A MESSAGE must fit into 1,300 bytes with its headers (RFC 3428 §8). */
const MOST_BYTES = 800;
/** Longer ones from phones are refused: SMS of ten segments are shorter. */
export const LONGEST_TEXT_BYTES = 4_000;
/** Marks stay with their letters. */
const CHARACTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The texts that are sent one after another, if possible cut after a word. Together they are the whole text. */
export function textParts(text: string): readonly string[] {
  const parts: string[] = [];
  let [part, word] = ['', ''];
  for (const { segment } of CHARACTERS.segment(text)) {
    while (part + word !== '' && Buffer.byteLength(part + word + segment) > MOST_BYTES) {
      // A word that is longer than a part is cut.
      if (part === '') [part, word] = [word, ''];
      parts.push(part);
      part = '';
    }
    word += segment;
    if (/\s$/.test(segment)) [part, word] = [part + word, ''];
  }
  return [...parts, part + word];
}

/** The user part of the address of a sender: names may have blanks. */
export function sipUserOf(from: string): string {
  return from.replace(/[^0-9A-Za-z+._-]/g, '-');
}

const REASONS: ReadonlyMap<number, FailureReason> = new Map([
  [401, 'blocked'],
  [403, 'blocked'],
  [407, 'blocked'],
  [433, 'blocked'],
  [603, 'blocked'],
  [404, 'invalid_recipient'],
  [410, 'invalid_recipient'],
  [484, 'invalid_recipient'],
  [604, 'invalid_recipient'],
  [400, 'content_refused'],
  [413, 'content_refused'],
  [415, 'content_refused'],
  [488, 'content_refused'],
  [513, 'content_refused'],
  [606, 'content_refused'],
]);

/** Why a phone has not taken a text. @param status of the SIP response; null: none is known */
export function failureOf(status: number | null): FailureReason {
  return (status === null ? undefined : REASONS.get(status)) ?? 'unreachable';
}
