import { HatifError, type ErrorCode } from '../../model/errors/index.js';

/** The codes with which the sandbox refuses a call. */
export const SANDBOX_REFUSALS = [
  'SANDBOX_EXPIRED',
  'SANDBOX_DESTINATION_NOT_ALLOWED',
  'SANDBOX_SIMULATED_SERVER_ERROR',
  'SANDBOX_MINUTES_EXCEEDED',
] as const satisfies readonly ErrorCode[];

/** The longest duration of any call; the engine ends it. */
const MAX_CALL_SECONDS = 14_400;
const RING_SECONDS = 45;

/** The person at this number approves authentication calls. */
const APPROVING_NUMBER = '+966500000001';
const DENYING_NUMBER = '+966500000008';

/** The sandbox's telephone numbers, whose behaviour the simulator's script plays, and how long each one rings. */
const NUMBERS: ReadonlyMap<string, { readonly ringTimeoutSeconds: number }> = new Map([
  /** Answers, and hangs up after five seconds. */
  [APPROVING_NUMBER, { ringTimeoutSeconds: RING_SECONDS }],
  /** Does not answer. */
  ['+966500000002', { ringTimeoutSeconds: RING_SECONDS }],
  /** Busy. */
  ['+966500000003', { ringTimeoutSeconds: RING_SECONDS }],
  /** The carrier fails. */
  ['+966500000004', { ringTimeoutSeconds: RING_SECONDS }],
  /** Never rings. */
  ['+966500000005', { ringTimeoutSeconds: RING_SECONDS }],
  /** Rings until it is cancelled. */
  ['+966500000006', { ringTimeoutSeconds: MAX_CALL_SECONDS }],
  /** A voicemail box answers. */
  ['+966500000007', { ringTimeoutSeconds: RING_SECONDS }],
  /** Answers like the first number, and denies authentication calls. */
  [DENYING_NUMBER, { ringTimeoutSeconds: RING_SECONDS }],
  /** Answers, and presses 1 every five seconds for a minute. */
  ['+966500000009', { ringTimeoutSeconds: RING_SECONDS }],
  /** The same with 2. */
  ['+966500000010', { ringTimeoutSeconds: RING_SECONDS }],
]);

/** The number that simulates a server error. */
const SERVER_ERROR = '+966500000017';

/** Whose sandbox it is. */
export interface SandboxOwner {
  readonly projectId: string;
  readonly organizationId: string;
}

/** The numbers that sandbox calls can reach: those of the sandbox, and those that the owner has verified. */
export class SandboxDestinations {
  /** @param isVerified whether the owner brought this number, and proved it */
  constructor(private readonly isVerified: (e164: string, owner: SandboxOwner) => Promise<boolean>) {}

  /** @throws HatifError SANDBOX_SIMULATED_SERVER_ERROR, SANDBOX_DESTINATION_NOT_ALLOWED */
  async check(to: string, owner: SandboxOwner): Promise<{ readonly ringTimeoutSeconds: number }> {
    if (to === SERVER_ERROR) throw new HatifError('SANDBOX_SIMULATED_SERVER_ERROR');
    const known = NUMBERS.get(to) ?? ((await this.isVerified(to, owner)) ? { ringTimeoutSeconds: RING_SECONDS } : null);
    if (!known) throw new HatifError('SANDBOX_DESTINATION_NOT_ALLOWED');
    return known;
  }
}

/** The answer to an authentication call in the sandbox; null means none. The owner of a verified number approves. */
export function simulatedAnswer(number: string): 'approved' | 'denied' | null {
  if (number === APPROVING_NUMBER || !NUMBERS.has(number)) return 'approved';
  return number === DENYING_NUMBER ? 'denied' : null;
}
