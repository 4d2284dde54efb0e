import type { LegEndpoint } from '../../core/ports/engine.js';

/** How the remote side of an outbound leg behaves. Times count from the dial, `hangsUpAfterMs` from the answer. */
export interface Party {
  /** Null: never rings. */
  readonly ringsAfterMs: number | null;
  /** Null: never answers. */
  readonly answersAfterMs: number | null;
  /** Null: stays until this side ends the call. */
  readonly hangsUpAfterMs: number | null;
  /** A final SIP response other than 200. */
  readonly refuses: { readonly afterMs: number; readonly q850: number; readonly sipCode: number } | null;
  /** Keeps ringing after the ring timeout, until the leg is hung up or reaches its maximum duration. */
  readonly ignoresRingTimeout: boolean;
  /** Presses this digit again and again, as long as the leg is up. */
  readonly presses?: { readonly digit: string; readonly everyMs: number };
}

const RINGS_AFTER_MS = 500;
const ANSWERS_AFTER_MS = 2_000;

const silent: Party = {
  ringsAfterMs: null,
  answersAfterMs: null,
  hangsUpAfterMs: null,
  refuses: null,
  ignoresRingTimeout: false,
};
const ringing: Party = { ...silent, ringsAfterMs: RINGS_AFTER_MS };
const answering: Party = { ...ringing, answersAfterMs: ANSWERS_AFTER_MS };

/** Predefined parties for tests and scripts. */
export const PARTIES = {
  answers: answering,
  answersThenHangsUp: { ...answering, hangsUpAfterMs: 5_000 },
  neverAnswers: ringing,
  neverRings: silent,
  ringsForEver: { ...ringing, ignoresRingTimeout: true },
  busy: { ...silent, refuses: { afterMs: RINGS_AFTER_MS, q850: 17, sipCode: 486 } },
  rejects: { ...silent, refuses: { afterMs: RINGS_AFTER_MS, q850: 21, sipCode: 603 } },
  unknownNumber: { ...silent, refuses: { afterMs: RINGS_AFTER_MS, q850: 1, sipCode: 404 } },
  carrierFails: { ...silent, refuses: { afterMs: RINGS_AFTER_MS, q850: 34, sipCode: 503 } },
  /** The trunk answers nothing at all, and the engine gives up. */
  trunkIsSilent: { ...silent, refuses: { afterMs: 32_000, q850: 18, sipCode: 408 } },
  /** Rings until the carrier gives up. */
  ringsOut: { ...ringing, refuses: { afterMs: 32_000, q850: 18, sipCode: 408 } },
  /** Answers late, lets the caller speak, and ends the call. */
  voicemail: { ...ringing, answersAfterMs: 15_000, hangsUpAfterMs: 60_000 },
} as const satisfies Readonly<Record<string, Party>>;

/** Answers menus. */
const pressing = (digit: string): Party => ({
  ...answering,
  hangsUpAfterMs: 60_000,
  presses: { digit, everyMs: 5_000 },
});

/** The sandbox's test numbers. */
const SANDBOX: Readonly<Record<string, Party>> = {
  '+966500000001': PARTIES.answersThenHangsUp,
  '+966500000002': PARTIES.neverAnswers,
  '+966500000003': PARTIES.busy,
  '+966500000004': PARTIES.carrierFails,
  '+966500000005': PARTIES.neverRings,
  '+966500000006': PARTIES.ringsForEver,
  '+966500000007': PARTIES.voicemail,
  '+966500000008': PARTIES.answersThenHangsUp,
  '+966500000009': pressing('1'),
  '+966500000010': pressing('2'),
};

/** Returns the sandbox's party for an endpoint: its test numbers behave as listed, all others answer and stay. */
export function sandboxParty(endpoint: LegEndpoint): Party {
  return (endpoint.type === 'trunk' ? SANDBOX[endpoint.number] : undefined) ?? PARTIES.answers;
}
