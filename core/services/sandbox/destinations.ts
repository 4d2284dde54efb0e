import { HatifError } from '../../model/errors/index.js';

/** Longest that any call may last; the engine ends it by itself. */
const FOR_EVER_SECONDS = 14_400;
const RING_SECONDS = 45;

/** Whoever is there enters the right number in an authentication call. */
const APPROVES = '+966500000001';
const DENIES = '+966500000008';

/** What the sandbox's telephone numbers do (the simulator's script plays them), and how long each is rung. */
const NUMBERS: ReadonlyMap<string, { readonly ringTimeoutSeconds: number }> = new Map([
  /** Answers, and hangs up after five seconds. */
  [APPROVES, { ringTimeoutSeconds: RING_SECONDS }],
  /** Nobody picks up. */
  ['+966500000002', { ringTimeoutSeconds: RING_SECONDS }],
  /** Busy. */
  ['+966500000003', { ringTimeoutSeconds: RING_SECONDS }],
  /** The carrier fails. */
  ['+966500000004', { ringTimeoutSeconds: RING_SECONDS }],
  /** Never rings. */
  ['+966500000005', { ringTimeoutSeconds: RING_SECONDS }],
  /** Rings until it is cancelled. */
  ['+966500000006', { ringTimeoutSeconds: FOR_EVER_SECONDS }],
  /** A voicemail box picks up. */
  ['+966500000007', { ringTimeoutSeconds: RING_SECONDS }],
  /** Answers as the first does, and confirms no authentication. */
  [DENIES, { ringTimeoutSeconds: RING_SECONDS }],
]);

/** The number that stands for a fault of the server. */
const SERVER_ERROR = '+966500000017';

/** @throws HatifError SANDBOX_SIMULATED_SERVER_ERROR, SANDBOX_DESTINATION_NOT_ALLOWED */
export function sandboxDestination(to: string): { readonly ringTimeoutSeconds: number } {
  if (to === SERVER_ERROR) throw new HatifError('SANDBOX_SIMULATED_SERVER_ERROR');
  const known = NUMBERS.get(to);
  if (!known) throw new HatifError('SANDBOX_DESTINATION_NOT_ALLOWED');
  return known;
}

/** What the person at a number of the sandbox answers to an authentication call; null: nothing. */
export function simulatedAnswer(number: string): 'approved' | 'denied' | null {
  if (number === APPROVES) return 'approved';
  return number === DENIES ? 'denied' : null;
}
