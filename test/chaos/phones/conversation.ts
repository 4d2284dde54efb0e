import { setTimeout as pause } from 'node:timers/promises';
import type { Carrier } from './carrier.js';
import type { Client } from './client.js';
import type { Leg } from './leg.js';
import type { Tones } from './tones.js';
import type { Control, Manner, Plan } from '../plan.js';

/** A stretch of time, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What was done in a call, and what came of it as far as its client and its phones know. */
export interface Conversation {
  readonly plan: Plan;
  /** The API's word; empty for calls that came in, until the database tells. */
  callId: string;
  /** When it was accepted, or dialled by the caller. */
  begunAt: number;
  /** The answer was a refusal. */
  refused: string | null;
  customer: Leg | null;
  other: Leg | null;
  /** The caller's carrier has another route to try. */
  dialling: boolean;
  /** The API was told to hang up. */
  hungUpByApi: number | null;
  /** From the command until it was undone and confirmed: what is heard meanwhile is another matter. */
  readonly controls: { readonly control: Control; readonly span: Span; readonly confirmed: Span }[];
  /** The command to record was confirmed; when it was told to stop, and when that was confirmed. */
  recorded: { stopAskedAt: number; stoppedAt: number } | null;
  /** What should not have been. */
  readonly faults: string[];
  readonly story: string[];
}

export interface Stage {
  readonly client: Client;
  readonly carrier: Carrier;
  /** A tone of some seconds, for calls that play. */
  readonly soundUrl: string;
}

const REFUSALS = {
  busy: [486, 'Busy Here'],
  rejects: [603, 'Decline'],
  unknown: [404, 'Not Found'],
  congested: [503, 'Service Unavailable'],
} as const;
/** Within this time both hear each other, or something is wrong; each process may be killed before it comes to that. */
const TALKS_WITHIN_MS = 150_000;
const OVER_WITHIN_MS = 60_000;
/** What plays is begun again by each process that takes it over. */
const PLAYS_WITHIN_MS = 180_000;
/** Of placed calls. */
export const RING_SECONDS = 8;
const LONGEST_RINGING_MS = 6_000;
const UNRUNG_LOOK_MS = 5_000;

export function open(plan: Plan): Conversation {
  return {
    plan,
    callId: '',
    begunAt: 0,
    refused: null,
    customer: null,
    other: null,
    dialling: false,
    hungUpByApi: null,
    controls: [],
    recorded: null,
    faults: [],
    story: [],
  };
}

/** Performs the call at the moment of its plan, counted from now; what goes wrong is noted. */
export async function performAt(talk: Conversation, stage: Stage): Promise<void> {
  await pause(talk.plan.startMs);
  try {
    await perform(talk, stage);
  } catch (error) {
    talk.faults.push(error instanceof Error ? error.message : String(error));
  }
}

/** Performs the call from its first moment to its last. */
async function perform(talk: Conversation, stage: Stage): Promise<void> {
  const { plan } = talk;
  const customerTones = { sends: plan.sends, hears: plan.kind === 'echo' ? plan.sends : plan.otherSends };
  if (plan.other !== '') {
    stage.carrier.expect(plan.other, async (leg) => {
      talk.other ??= leg;
      await behave(leg, plan.otherManner, { sends: plan.otherSends, hears: plan.sends });
    });
  }
  if (plan.line === '') {
    stage.carrier.expect(plan.customer, async (leg) => {
      talk.customer ??= leg;
      await behave(leg, plan.customerManner, customerTones);
    });
    await place(talk, stage);
  } else {
    talk.begunAt = Date.now();
    note(talk, `calls ${plan.line}`);
    dial(talk, stage, customerTones);
  }
  if (talk.refused === null && (await isRung(talk, stage))) await course(talk, stage);
}

/** The caller calls; where one route fails, by the next. */
function dial(talk: Conversation, { carrier }: Stage, tones: Tones): void {
  talk.dialling = true;
  carrier
    .call(
      { caller: talk.plan.customer, dialled: talk.plan.line, hz: tones },
      { onLeg: (leg) => (talk.customer = leg), isRung: () => talk.other !== null },
    )
    .catch((error: unknown) => talk.faults.push(String(error)))
    .finally(() => (talk.dialling = false));
}

/** Whether the customer's phone rings at all: an application that was away for too long ends the call instead. */
async function isRung(talk: Conversation, { client }: Stage): Promise<boolean> {
  const deadline = Date.now() + TALKS_WITHIN_MS;
  while (Date.now() < deadline) {
    await until(() => talk.customer !== null, UNRUNG_LOOK_MS);
    if (talk.customer) return true;
    const { body } = await client.insist('GET', `/v1/calls/${talk.callId}`, {});
    if (body.ended_at !== null) return false;
  }
  talk.faults.push('it was accepted, and neither rang nor ended');
  return false;
}

async function place(talk: Conversation, { client, soundUrl }: Stage): Promise<void> {
  const { plan } = talk;
  const metadata = { chaos: String(plan.index) };
  const then = {
    idle: {},
    play: { play: { url: soundUrl } },
    connect: { connect: { type: 'number', target: plan.other } },
    callback: {},
    echo: {},
    line: {},
    desk: {},
  }[plan.kind];
  const json = { to: plan.customer, metadata, ...then };
  const isCallback = plan.kind === 'callback';
  const reply = await client.insist('POST', isCallback ? '/v1/callback' : '/v1/calls', {
    json: isCallback
      ? json
      : { ...json, ring_timeout_seconds: RING_SECONDS, record: plan.recorded === 'from the answer' },
    key: `chaos-${plan.index}`,
  });
  talk.begunAt = Date.now();
  if (reply.status === 202) talk.callId = String(reply.body.call_id);
  else talk.refused = `${reply.status} ${JSON.stringify(reply.body)}`;
  note(talk, `${reply.status} ${talk.callId}`);
}

async function behave(
  leg: Leg,
  manner: Manner,
  tones: { readonly sends: number; readonly hears: number },
): Promise<void> {
  leg.ring();
  await Promise.race([pause(manner.ringMs), leg.over]);
  if (manner.then === 'answers') return leg.pickUp(tones);
  if (manner.then === 'never') return;
  const [status, reason] = REFUSALS[manner.then];
  leg.refuse(status, reason);
}

/** From the ringing on. */
async function course(talk: Conversation, stage: Stage): Promise<void> {
  const { plan } = talk;
  if (plan.givenUp !== null) {
    const silent = plan.givenUp;
    await until(() => talk[silent]?.facts.ringingAt != null || isOver(talk), TALKS_WITHIN_MS);
    await pause(Math.min(plan.talkMs, LONGEST_RINGING_MS));
    await end(talk, stage);
  } else if (plan.kind !== 'play' && (await talks(talk))) {
    note(talk, 'talks');
    await control(talk, stage);
    await end(talk, stage);
  }
  await until(() => isOver(talk), plan.kind === 'play' ? PLAYS_WITHIN_MS : OVER_WITHIN_MS);
  if (isOver(talk)) return;
  talk.faults.push('it was not over long after its end');
  for (const leg of [talk.customer, talk.other]) leg?.hangUp();
}

/** Whether it comes to a talk: everybody hears whom they should hear. */
async function talks(talk: Conversation): Promise<boolean> {
  const { kind } = talk.plan;
  const isTalking = (): boolean => {
    if (talk.customer?.isTalking !== true) return false;
    if (kind === 'idle' || kind === 'echo') return true;
    return talk.other?.isTalking === true && [talk.customer, talk.other].every(({ stream }) => stream?.heardAt != null);
  };
  await until(() => isTalking() || isOver(talk), TALKS_WITHIN_MS);
  if (!isTalking() && !isOver(talk)) talk.faults.push('it did not come to a talk');
  return isTalking();
}

/** Holds and mutes, as planned; each is told until it is confirmed. */
async function control(talk: Conversation, { client }: Stage): Promise<void> {
  const begunAt = Date.now();
  const waitUntil = async (atMs: number): Promise<void> => {
    await until(() => Date.now() >= begunAt + atMs || isOver(talk), atMs + 1_000);
  };
  const callId = await known(talk, client);
  const { recorded, talkMs } = talk.plan;
  if (recorded === 'to the end' || recorded === 'for a while') {
    const isConfirmed = await tell(talk, client, callId, 'recording/start', 'customer');
    if (isConfirmed) talk.recorded = { stopAskedAt: Infinity, stoppedAt: Infinity };
    if (isOver(talk)) return;
  }
  const stop = async (): Promise<void> => {
    if (recorded !== 'for a while' || talk.recorded?.stopAskedAt !== Infinity || isOver(talk)) return;
    talk.recorded.stopAskedAt = Date.now();
    if (await tell(talk, client, callId, 'recording/stop', 'customer')) talk.recorded.stoppedAt = Date.now();
  };
  for (const one of talk.plan.controls) {
    if (one.atMs > talkMs / 2) await stop();
    await waitUntil(one.atMs);
    if (isOver(talk)) return;
    const from = Date.now();
    const held = await tell(talk, client, callId, one.action, one.leg);
    const confirmedFrom = Date.now();
    await pause(one.lastsMs);
    const confirmedTo = Date.now();
    const freed = held && (await tell(talk, client, callId, `un${one.action}`, one.leg));
    talk.controls.push({
      control: one,
      // What was never confirmed may last to the end of the call.
      span: { from, to: freed ? Date.now() : Infinity },
      confirmed: { from: confirmedFrom, to: held ? confirmedTo : confirmedFrom },
    });
  }
  await waitUntil(talkMs / 2);
  await stop();
  await waitUntil(talkMs);
}

async function tell(talk: Conversation, client: Client, callId: string, action: string, leg: string): Promise<boolean> {
  const reply = await client.insist('POST', `/v1/calls/${callId}/${action}`, {
    json: { leg },
    // A phone may know of the answer before an application that was away does.
    notYet: ['CALL_NOT_ANSWERED', 'AGENT_LEG_NOT_CONNECTED'],
    while: () => !isOver(talk),
  });
  note(talk, `${action} ${leg}: ${reply.status} ${reply.code}`);
  const mayBe = reply.status === 200 || reply.code === 'OVER' || (reply.code === 'CALL_NOT_ACTIVE' && isOver(talk));
  if (!mayBe) talk.faults.push(`${action} ${leg} was answered ${reply.status} ${reply.code} while the call talked`);
  return reply.status === 200;
}

async function end(talk: Conversation, { client }: Stage): Promise<void> {
  const { endedBy } = talk.plan;
  if (isOver(talk)) return;
  note(talk, `ended by ${endedBy}`);
  if (endedBy === 'customer') return talk.customer?.hangUp();
  if (endedBy === 'other' && talk.other) {
    talk.other.hangUp();
    return;
  }
  const callId = await known(talk, client);
  talk.hungUpByApi = Date.now();
  const reply = await client.insist('POST', `/v1/calls/${callId}/hangup`, { while: () => !isOver(talk) });
  note(talk, `hangup: ${reply.status} ${reply.code}`);
  const mayBe = reply.status === 200 || reply.code === 'OVER' || isOver(talk);
  if (!mayBe) talk.faults.push(`hangup was answered ${reply.status} ${reply.code} while the call talked`);
}

/** The id of a call that came in: the client looks for the caller's call among the latest, as an operator would. */
async function known(talk: Conversation, client: Client): Promise<string> {
  if (talk.callId !== '') return talk.callId;
  const line = talk.plan.line;
  const reply = await client.insist('GET', '/v1/calls?direction=inbound&limit=100', {});
  const calls = reply.body.data as readonly {
    readonly call_id: string;
    readonly line_number: string | null;
    readonly metadata: object;
  }[];
  const found = calls.find(({ line_number }) => line_number === line);
  talk.callId = found?.call_id ?? '';
  return talk.callId;
}

/** Every leg that there is has ended. */
export function isOver(talk: Conversation): boolean {
  const { customer, other, dialling } = talk;
  return !dialling && (customer?.isOver ?? false) && (other?.isOver ?? true);
}

function note(talk: Conversation, text: string): void {
  talk.story.push(`${new Date().toISOString().slice(11, 23)} client ${text}`);
}

async function until(holds: () => boolean, limitMs: number): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!holds() && Date.now() < deadline) await pause(20);
}
