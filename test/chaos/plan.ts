import { deskPhoneOf } from './phones/carrier.js';
import type { Random } from './random.js';

/**
 * The kinds of calls:
 * - Placed by the API: `idle` waits for control; `play` plays and hangs up; `connect` is connected to a second number;
 *   `callback` is connected to the project's default destination.
 * - Incoming: `echo` reaches the echo service; `line` is connected to a number, `sip` to a SIP address.
 */
export type Kind = 'idle' | 'play' | 'connect' | 'callback' | 'echo' | 'line' | 'sip';

/** What a called phone does after it has rung for `ringMs`. */
export interface Behaviour {
  readonly ringMs: number;
  readonly then: 'answers' | 'busy' | 'rejects' | 'unknown' | 'congested' | 'never';
}

export interface Control {
  readonly action: 'hold' | 'mute';
  readonly leg: 'customer' | 'agent';
  /** The time after the parties were connected. */
  readonly atMs: number;
  readonly durationMs: number;
}

export interface Plan {
  readonly index: number;
  readonly kind: Kind;
  /** The time after the start of the run. */
  readonly startMs: number;
  readonly customer: string;
  /** The number or desk phone that the customer is connected to; empty if there is none. */
  readonly other: string;
  /** The number that the caller dials, unique to this call; empty for placed calls. */
  readonly line: string;
  /** `then` is not used for callers. */
  readonly customerBehaviour: Behaviour;
  readonly otherBehaviour: Behaviour;
  /** The party that ends the call, `talkMs` after the parties were connected. */
  readonly endedBy: 'customer' | 'other' | 'api';
  readonly talkMs: number;
  /** The party that never answers, if the call is ended before its ring timeout; null: otherwise. */
  readonly abandonedWhileRinging: 'customer' | 'other' | null;
  readonly controls: readonly Control[];
  /**
   * Recorded by `record: true` of the request, or by a command during the call: to its end, or for half of the talk
   * time.
   */
  readonly recording: 'from the answer' | 'to the end' | 'for a while' | null;
  readonly customerHz: number;
  readonly otherHz: number;
}

/** The share of each kind, in percent. */
const KINDS: readonly (readonly [Kind, number])[] = [
  ['connect', 30],
  ['line', 18],
  ['callback', 12],
  ['sip', 8],
  ['idle', 16],
  ['echo', 10],
  ['play', 6],
];
const REFUSALS = ['busy', 'rejects', 'unknown', 'congested', 'never'] as const;
const ANSWERS_SHARE = 0.8;

/** @param first the index of the first call */
export function makePlans(random: Random, calls: number, intervalMs: number, maxTalkMs: number, first = 0): Plan[] {
  const kinds = random.shuffled(Array.from({ length: calls }, (_, index) => kindAt((100 * (index + 0.5)) / calls)));
  return kinds.map((kind, place) => ({
    ...planCall(random.fork(), kind, first + place, maxTalkMs),
    startMs: Math.round((place + random.next()) * intervalMs),
  }));
}

function kindAt(share: number): Kind {
  let sum = 0;
  for (const [kind, part] of KINDS) {
    sum += part;
    if (share < sum) return kind;
  }
  return 'idle';
}

function planCall(random: Random, kind: Kind, index: number, maxTalkMs: number): Omit<Plan, 'startMs'> {
  const digits = String(index).padStart(5, '0');
  const isPlaced = kind === 'idle' || kind === 'play' || kind === 'connect' || kind === 'callback';
  const hasOther = kind !== 'idle' && kind !== 'play' && kind !== 'echo';
  const customerBehaviour = behaviourOf(random, isPlaced ? ANSWERS_SHARE : 1);
  const otherBehaviour = behaviourOf(random, ANSWERS_SHARE + 0.1);
  // The greeting of the echo service takes time.
  const talkMs = random.between(2_000, maxTalkMs) + (kind === 'echo' ? 15_000 : 0);
  const neverAnswers =
    customerBehaviour.then === 'never' ? 'customer' : hasOther && otherBehaviour.then === 'never' ? 'other' : null;
  // A placed call ends after its ring timeout at the latest. If that is long, a party ends it earlier.
  const abandonedWhileRinging =
    neverAnswers === 'other' || (neverAnswers === 'customer' && (kind === 'callback' || random.chance(0.5)))
      ? neverAnswers
      : null;
  const endingParties = hasOther ? (['customer', 'other', 'api'] as const) : (['customer', 'api'] as const);
  const customer = `+96650100${digits.slice(1)}`;
  const toNumber = kind === 'connect' || kind === 'line';
  return {
    index,
    kind,
    customer,
    other: !hasOther ? '' : toNumber ? `+96650200${digits.slice(1)}` : deskPhoneOf(customer),
    line: isPlaced ? '' : `+9661156${digits}`,
    customerBehaviour,
    otherBehaviour,
    endedBy:
      abandonedWhileRinging === 'customer'
        ? 'api'
        : abandonedWhileRinging === 'other'
          ? random.pick(['customer', 'api'])
          : random.pick(endingParties),
    abandonedWhileRinging,
    talkMs,
    controls: hasOther ? controlsOf(random, talkMs) : [],
    recording: !random.chance(0.5)
      ? null
      : kind === 'connect' || kind === 'idle'
        ? 'from the answer'
        : kind === 'line' || kind === 'callback'
          ? random.pick(['to the end', 'for a while'])
          : null,
    customerHz: 400 + 50 * random.between(0, 18),
    otherHz: 1_500 + 50 * random.between(0, 18),
  };
}

function behaviourOf(random: Random, answersShare: number): Behaviour {
  const then = random.chance(answersShare) ? 'answers' : random.pick(REFUSALS);
  return { ringMs: random.between(100, 3_000), then };
}

/** Holds and mutes some calls; none lasts longer than the talk time. */
function controlsOf(random: Random, talkMs: number): Control[] {
  if (talkMs < 6_000 || !random.chance(0.6)) return [];
  const half = Math.floor(talkMs / 2);
  const actions = random.shuffled(['hold', 'mute'] as const).slice(0, random.between(1, 2));
  return actions.map((action, turn) => {
    const atMs = turn * half + random.between(500, half - 2_500);
    const durationMs = random.between(1_000, Math.max(1_000, (turn + 1) * half - atMs - 500));
    return { action, leg: random.chance(0.75) ? 'customer' : 'agent', atMs, durationMs };
  });
}
