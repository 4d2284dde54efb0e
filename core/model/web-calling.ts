import { randomUUID } from 'node:crypto';
import { z } from 'zod';

/** What a browser may call. */
export const WEB_TARGETS = ['number', 'agent', 'queue', 'callflow'] as const;
export type WebTarget = (typeof WEB_TARGETS)[number];

/** What the browser of a session may do. */
export interface WebRights {
  /** Whether calls ring the browser. */
  readonly incoming: boolean;
  readonly outgoing: readonly WebTarget[];
  /** Outside numbers that it may call, in E.164; with `*` at the end: all that begin so. Null: any. */
  readonly numbers: readonly string[] | null;
  /** E.164; the caller ID of its calls. Null: that of the agent, otherwise the project's main number. */
  readonly caller_id_number: string | null;
  /** The only thing that it may call, not even an emergency number: for strangers. Absent: what `outgoing` allows. */
  readonly only?: WebOnly;
  /** Origins of pages that may use the session, beside those of the project. */
  readonly origins?: readonly string[];
}

export interface WebOnly {
  readonly type: 'agent' | 'queue';
  /** The extension, or the queue's ID. */
  readonly target: string;
}

/**
 * - `pending`: no browser has used the token yet
 * - `active`: a browser has SIP credentials
 * - `expired`, `revoked`: the credentials work no more
 */
export const WEB_SESSION_STATUSES = ['pending', 'active', 'expired', 'revoked'] as const;
export type WebSessionStatus = (typeof WEB_SESSION_STATUSES)[number];

/** Why a session is over: by its owner, because a spent token was used again, with its agent, or by its time. */
export type WebSessionEnd = 'revoked' | 'reused' | 'agent_removed' | 'expired';

interface SessionTimes {
  readonly connected_at: Date | null;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
  readonly end_reason: WebSessionEnd | null;
}

export function webSessionStatus({ connected_at, expires_at, ended_at, end_reason }: SessionTimes, now: Date) {
  if (ended_at !== null) return end_reason === 'expired' ? 'expired' : 'revoked';
  if (expires_at <= now) return 'expired';
  return (connected_at === null ? 'pending' : 'active') satisfies WebSessionStatus;
}

/** Who calls from the browser: a name that the owner chooses, and that a SIP address can hold. */
export const IDENTITY = /^[\w.~-]{1,64}$/;

/** E.164, or its beginning with `*`. */
export const NUMBER_PATTERN = /^\+(?:[1-9]\d{1,14}|[1-9]?\d{0,13}\*)$/;

export function matchesNumber(e164: string, patterns: readonly string[] | null): boolean {
  return (
    patterns === null ||
    patterns.some((pattern) => (pattern.endsWith('*') ? e164.startsWith(pattern.slice(0, -1)) : pattern === e164))
  );
}

/** No agent has a SIP user name of this form: extensions are shorter, and what makes them unique begins with a dash. */
const WEB_AOR = /^web\.[0-9a-f]{32}$/;

/** A SIP user name for the browser of a session. */
export function newWebAor(): string {
  return `web.${randomUUID().replaceAll('-', '')}`;
}

/** Whether a SIP user name is that of a browser, and not of an agent's softphone. */
export function isWebAor(aor: string): boolean {
  return WEB_AOR.test(aor);
}

/** The header of a call that brings a browser back: how many seconds ago it was first connected. */
export const RESUMED_HEADER = 'X-Hatif-Resumed';

/** The host of SIP addresses that ring the browsers of an identity: `sip:reem@web`. */
export const WEB_HOST = 'web';

/** A server of an RTCPeerConnection, in the form that browsers take. */
export const iceServer = z
  .strictObject({
    urls: z.array(z.string()),
    username: z.string().optional(),
    credential: z.string().optional(),
  })
  .meta({ id: 'IceServer', description: 'An entry of `iceServers` of an `RTCPeerConnection`' });
export type IceServer = z.output<typeof iceServer>;

/** What was wrong with a call, in the words of the person. */
export const FEEDBACK_ISSUES = [
  'audio_latency',
  'choppy_audio',
  'dropped_call',
  'echo',
  'noisy_call',
  'one_way_audio',
  'silence',
] as const;
export type FeedbackIssue = (typeof FEEDBACK_ISSUES)[number];
