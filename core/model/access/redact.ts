import { asciiDigits } from '../phone-numbers.js';
import { maskNumber } from './masking.js';

/** Members whose values are never logged. */
const SECRET_MEMBERS =
  /^(authorization|cookie|digits|send_digits|code|pin|totp|(?:.*_)?(?:password|secret|token|otp)|api_?key|secret_?key|sandbox_key|live_key|dtmf)$/i;

/** An API key, a token or a webhook secret within a text. */
const SECRETS = /\b(sk_(?:sandbox|live)_|whsec_|[a-z]{2,4}_(?=[A-Za-z0-9]{49}\b))[A-Za-z0-9+/=_-]+/g;

/** A SIP URI that names a user, within a text. */
const SIP_URIS = /\bsips?:[^\s"'<>@,;]+@[^\s"'<>,]+/gi;

const DIGIT = '[0-9\\u0660-\\u0669\\u06f0-\\u06f9]';
const ZERO = '[0\\u0660\\u06f0]';
/**
 * Phone numbers within a text, also in groups and in Arabic-Indic digits: with `+` (or `%2B`, as in a URL) or `00`; a
 * Saudi one without either; a Saudi one in national form. What stands around them tells them from ids, times and
 * amounts.
 */
const NUMBERS = new RegExp(
  [
    `(?:\\+|%2B)(?:[ (]?${DIGIT}(?:[ .()-]{0,2}${DIGIT}){7,14})`,
    `(?<![\\w.-])${ZERO}{2}(?:[ .-]?${DIGIT}){8,14}`,
    `(?<![\\w.-])(?:966|٩٦٦)[ -]?(?:[15٥١]${DIGIT}{8}|800${DIGIT}{7}|9200${DIGIT}{5})`,
    `(?<![\\p{L}\\p{N}.])${ZERO}[15٥١]${DIGIT}[ -]?${DIGIT}{3}[ -]?${DIGIT}{4}`,
  ]
    .map((form) => `(?:${form})(?![\\p{L}\\p{N}_])`)
    .join('|'),
  'giu',
);

/** Every form of {@link NUMBERS} has at least as many digits. */
const FEWEST_DIGITS = 8;

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const DEEPEST = 8;

/**
 * Masks the phone numbers and SIP users of a text and removes its keys and secrets: for logs and the audit log. Most
 * texts have none of them, and the expressions take longer than to see that.
 */
export function redactText(text: string): string {
  if (ID.test(text)) return text;
  const withoutSecrets = text.includes('_') ? text.replace(SECRETS, '$1[redacted]') : text;
  const withoutUsers = text.includes('@') ? withoutSecrets.replace(SIP_URIS, maskNumber) : withoutSecrets;
  return mayHaveNumber(withoutUsers) ? withoutUsers.replace(NUMBERS, maskWritten) : withoutUsers;
}

function mayHaveNumber(text: string): boolean {
  let digits = 0;
  for (let at = 0; at < text.length && digits < FEWEST_DIGITS; at += 1) {
    const code = text.charCodeAt(at);
    const isDigit =
      (code >= 0x30 && code <= 0x39) || (code >= 0x660 && code <= 0x669) || (code >= 0x6f0 && code <= 0x6f9);
    if (isDigit) digits += 1;
  }
  return digits >= FEWEST_DIGITS;
}

/** Masks a number as it would be masked without its separators. */
function maskWritten(written: string): string {
  return maskNumber(
    asciiDigits(written)
      .replace(/^%2B/i, '+')
      .replace(/[ .()-]/g, ''),
  );
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
      redactText(name),
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
