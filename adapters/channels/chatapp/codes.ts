import type { FailureReason } from '../../../core/model/messaging/failure.js';

/** Codes by which the provider asks to slow down: the message is submitted again later. */
const SLOW_DOWN: ReadonlySet<number> = new Set([4, 80_007, 130_429, 131_056]);
/** The provider is away for a moment, and did nothing. */
const AWAY: ReadonlySet<number> = new Set([2, 131_016, 131_057]);
/** The credentials are wrong, have expired, or may not do this. */
const CREDENTIALS: ReadonlySet<number> = new Set([0, 3, 10, 190, 131_005]);

/** https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes */
const REASONS: Readonly<Record<number, FailureReason>> = {
  368: 'provider_account',
  130_472: 'blocked',
  130_497: 'provider_account',
  131_009: 'content_refused',
  131_008: 'content_refused',
  131_021: 'invalid_recipient',
  131_026: 'unreachable',
  131_030: 'invalid_recipient',
  131_031: 'provider_account',
  131_037: 'sender_refused',
  131_042: 'provider_account',
  131_045: 'sender_refused',
  131_047: 'window_closed',
  131_048: 'provider_account',
  131_049: 'blocked',
  131_050: 'opted_out',
  131_051: 'content_refused',
  131_052: 'content_refused',
  131_053: 'content_refused',
  132_000: 'content_refused',
  132_001: 'content_refused',
  132_005: 'content_refused',
  132_007: 'content_refused',
  132_012: 'content_refused',
  132_015: 'content_refused',
  132_016: 'content_refused',
  132_068: 'content_refused',
  132_069: 'content_refused',
  133_010: 'sender_refused',
  133_015: 'sender_refused',
  100: 'content_refused',
};

/** What a code says about a submission. */
export function verdictOf(code: number): 'slow_down' | 'away' | FailureReason {
  if (SLOW_DOWN.has(code)) return 'slow_down';
  if (AWAY.has(code)) return 'away';
  if (isOfCredentials(code)) return 'provider_account';
  return REASONS[code] ?? 'provider_fault';
}

/** Why a message failed of which a status reports the code: nothing is submitted again. */
export function reasonOfCode(code: number): FailureReason {
  const verdict = verdictOf(code);
  return verdict === 'slow_down' || verdict === 'away' ? 'provider_fault' : verdict;
}

/** 200 to 299 are permissions. */
export function isOfCredentials(code: number): boolean {
  return CREDENTIALS.has(code) || (code >= 200 && code < 300);
}
