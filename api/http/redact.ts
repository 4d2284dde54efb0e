import { maskNumber } from '../../core/model/access/masking.js';

/** Members whose values are never logged. */
const SECRET_MEMBERS =
  /^(authorization|cookie|digits|send_digits|code|pin|(?:.*_)?(?:password|secret|token|otp)|api_?key|secret_?key|sandbox_key|live_key|dtmf)$/i;

/** An API key or webhook secret within a text. */
const SECRETS = /\b(sk_(?:sandbox|live)_|whsec_)[A-Za-z0-9+/=_-]+/g;

/** A phone number within a text: E.164, `00…`, or a Saudi mobile in national form. */
const NUMBERS = /(?<![\w.:/-])(?:\+\d{8,15}|00[1-9]\d{7,13}|05\d{8})(?!\w)/g;

const DEEPEST = 8;

/** Masks the phone numbers and removes the keys and secrets of a text. */
export function redactText(text: string): string {
  return text.replace(SECRETS, '$1[redacted]').replace(NUMBERS, maskNumber);
}

/** Redacts a value at any depth: replaces secret members and masks phone numbers in all texts. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return redactError(value, depth);
  if (depth >= DEEPEST) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      SECRET_MEMBERS.test(name) && item !== null && item !== undefined ? '[redacted]' : redact(item, depth + 1),
    ]),
  );
}

function redactError(error: Error, depth: number): unknown {
  if (depth >= DEEPEST) return '[deep]';
  const { name, message, stack, cause, ...own } = error as Error & Record<string, unknown>;
  return {
    type: name,
    message: redactText(message),
    ...(stack === undefined ? {} : { stack: redactText(stack) }),
    ...(redact(own, depth + 1) as object),
    ...(cause === undefined ? {} : { cause: redact(cause, depth + 1) }),
  };
}
