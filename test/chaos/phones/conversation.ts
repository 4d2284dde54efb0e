import { setTimeout as pause } from 'node:timers/promises';
import type { Carrier } from './carrier.js';
import type { Client } from './client.js';
import type { Leg } from './leg.js';
import type { Tones } from './tones.js';
import type { Control, Behaviour, Plan } from '../plan.js';

/** A span of time, in milliseconds since the epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** One call: its plan, what its client and its phones did, and what they saw. */
export interface Conversation {
  readonly plan: Plan;
  /** The id that the API returned; empty for incoming calls until the client has found it. */
  callId: string;
  /** The time at which the API accepted it or the caller dialled. */
  startedAt: number;
  /** The API's error; null if it accepted the call. */
  refused: string | null;
  customer: Leg | null;
  other: Leg | null;
  /** Whether the caller's carrier is still trying routes. */
  isDialling: boolean;
  /** The time at which the client requested the hangup. */
  apiHangupAt: number | null;
  /**
   * The performed controls. `span`: from the request until the reversal is confirmed, in which the audio is not judged.
   * `confirmed`: the part in which the control was certainly active.
   */
  readonly controls: { readonly control: Control; readonly span: Span; readonly confirmed: Span }[];
  /**
   * Null until the command to record is confirmed. The times of the request to stop and of its confirmation; Infinity
   * until then.
   */
  recording: { stopRequestedAt: number; stoppedAt: number } | null;
  /** Unexpected events. */
  readonly faults: string[];
  readonly history: string[];
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
/** The parties must hear each other within this time, in which each process may be killed. */
const CONNECT_LIMIT_MS = 150_000;
const END_LIMIT_MS = 60_000;
/** Each process that adopts the call starts its prompt again. */
const PLAY_LIMIT_MS = 180_000;
/** The ring timeout of placed calls. */
export const RING_SECONDS = 8;
const MAX_RINGING_MS = 6_000;
const CALL_POLL_MS = 5_000;

export function newConversation(plan: Plan): Conversation {
  return {
    plan,
    callId: '',
    startedAt: 0,
    refused: null,
    customer: null,
    other: null,
    isDialling: false,
    apiHangupAt: null,
    controls: [],
    recording: null,
    faults: [],
    history: [],
  };
}

/** Performs the call at the time of its plan, counted from now; records errors in `faults`. */
export async function performAt(conversation: Conversation, stage: Stage): Promise<void> {
  await pause(conversation.plan.startMs);
  try {
    await perform(conversation, stage);
  } catch (error) {
    conversation.faults.push(error instanceof Error ? error.message : String(error));
  }
}

/** Performs the call from start to end. */
async function perform(conversation: Conversation, stage: Stage): Promise<void> {
  const { plan } = conversation;
  const customerTones = { sendHz: plan.customerHz, expectHz: plan.kind === 'echo' ? plan.customerHz : plan.otherHz };
  if (plan.other !== '') {
    stage.carrier.onCallTo(plan.other, async (leg) => {
      conversation.other ??= leg;
      await respond(leg, plan.otherBehaviour, { sendHz: plan.otherHz, expectHz: plan.customerHz });
    });
  }
  if (plan.line === '') {
    stage.carrier.onCallTo(plan.customer, async (leg) => {
      conversation.customer ??= leg;
      await respond(leg, plan.customerBehaviour, customerTones);
    });
    await place(conversation, stage);
  } else {
    conversation.startedAt = Date.now();
    note(conversation, `calls ${plan.line}`);
    dial(conversation, stage, customerTones);
  }
  if (conversation.refused === null && (await isRung(conversation, stage))) await runToEnd(conversation, stage);
}

/** The caller dials; the carrier tries the next route if one fails. */
function dial(conversation: Conversation, { carrier }: Stage, tones: Tones): void {
  conversation.isDialling = true;
  carrier
    .call(
      { caller: conversation.plan.customer, dialled: conversation.plan.line, tones: tones },
      { onLeg: (leg) => (conversation.customer = leg), isRung: () => conversation.other !== null },
    )
    .catch((error: unknown) => conversation.faults.push(String(error)))
    .finally(() => (conversation.isDialling = false));
}

/** Whether the customer's phone rings: if no process was available for too long, the call ends instead. */
async function isRung(conversation: Conversation, { client }: Stage): Promise<boolean> {
  const deadline = Date.now() + CONNECT_LIMIT_MS;
  while (Date.now() < deadline) {
    await waitUntil(() => conversation.customer !== null, CALL_POLL_MS);
    if (conversation.customer) return true;
    const { body } = await client.requestUntilFinal('GET', `/v1/calls/${conversation.callId}`, {});
    if (body.ended_at !== null) return false;
  }
  conversation.faults.push('the call was accepted, but neither rang nor ended');
  return false;
}

async function place(conversation: Conversation, { client, soundUrl }: Stage): Promise<void> {
  const { plan } = conversation;
  const metadata = { chaos: String(plan.index) };
  const then = {
    idle: {},
    play: { play: { url: soundUrl } },
    connect: { connect: { type: 'number', target: plan.other } },
    callback: {},
    echo: {},
    line: {},
    sip: {},
  }[plan.kind];
  const json = { to: plan.customer, metadata, ...then };
  const isCallback = plan.kind === 'callback';
  const reply = await client.requestUntilFinal('POST', isCallback ? '/v1/callback' : '/v1/calls', {
    json: isCallback
      ? json
      : { ...json, ring_timeout_seconds: RING_SECONDS, record: plan.recording === 'from the answer' },
    key: `chaos-${plan.index}`,
  });
  conversation.startedAt = Date.now();
  if (reply.status === 202) conversation.callId = String(reply.body.call_id);
  else conversation.refused = `${reply.status} ${JSON.stringify(reply.body)}`;
  note(conversation, `${reply.status} ${conversation.callId}`);
}

async function respond(
  leg: Leg,
  behaviour: Behaviour,
  tones: { readonly sendHz: number; readonly expectHz: number },
): Promise<void> {
  leg.ring();
  await Promise.race([pause(behaviour.ringMs), leg.over]);
  if (behaviour.then === 'answers') return leg.answer(tones);
  if (behaviour.then === 'never') return;
  const [status, reason] = REFUSALS[behaviour.then];
  leg.refuse(status, reason);
}

/** Performs the call from the ringing on. */
async function runToEnd(conversation: Conversation, stage: Stage): Promise<void> {
  const { plan } = conversation;
  if (plan.abandonedWhileRinging !== null) {
    const ringingParty = plan.abandonedWhileRinging;
    await waitUntil(
      () => conversation[ringingParty]?.facts.ringingAt != null || isOver(conversation),
      CONNECT_LIMIT_MS,
    );
    await pause(Math.min(plan.talkMs, MAX_RINGING_MS));
    await end(conversation, stage);
  } else if (plan.kind !== 'play' && (await becomesConnected(conversation))) {
    note(conversation, 'connected');
    await performControls(conversation, stage);
    await end(conversation, stage);
  }
  await waitUntil(() => isOver(conversation), plan.kind === 'play' ? PLAY_LIMIT_MS : END_LIMIT_MS);
  if (isOver(conversation)) return;
  conversation.faults.push('the call had not ended long after its hangup');
  for (const leg of [conversation.customer, conversation.other]) leg?.hangUp();
}

/** Whether the parties are connected: each hears the tone that it expects. */
async function becomesConnected(conversation: Conversation): Promise<boolean> {
  const { kind } = conversation.plan;
  const isTalking = (): boolean => {
    if (conversation.customer?.isTalking !== true) return false;
    if (kind === 'idle' || kind === 'echo') return true;
    return (
      conversation.other?.isTalking === true &&
      [conversation.customer, conversation.other].every(({ stream }) => stream?.heardAt != null)
    );
  };
  await waitUntil(() => isTalking() || isOver(conversation), CONNECT_LIMIT_MS);
  if (!isTalking() && !isOver(conversation)) conversation.faults.push('the parties were not connected in time');
  return isTalking();
}

/** Performs the planned holds, mutes and recording; repeats each command until it is confirmed. */
async function performControls(conversation: Conversation, { client }: Stage): Promise<void> {
  const startedAt = Date.now();
  const waitForTime = async (atMs: number): Promise<void> => {
    await waitUntil(() => Date.now() >= startedAt + atMs || isOver(conversation), atMs + 1_000);
  };
  const callId = await findCallId(conversation, client);
  const { recording, talkMs } = conversation.plan;
  if (recording === 'to the end' || recording === 'for a while') {
    const isConfirmed = await sendControl(conversation, client, callId, 'recording/start', 'customer');
    if (isConfirmed) conversation.recording = { stopRequestedAt: Infinity, stoppedAt: Infinity };
    if (isOver(conversation)) return;
  }
  const stop = async (): Promise<void> => {
    if (recording !== 'for a while' || conversation.recording?.stopRequestedAt !== Infinity || isOver(conversation))
      return;
    conversation.recording.stopRequestedAt = Date.now();
    if (await sendControl(conversation, client, callId, 'recording/stop', 'customer'))
      conversation.recording.stoppedAt = Date.now();
  };
  for (const one of conversation.plan.controls) {
    if (one.atMs > talkMs / 2) await stop();
    await waitForTime(one.atMs);
    if (isOver(conversation)) return;
    const from = Date.now();
    const isConfirmed = await sendControl(conversation, client, callId, one.action, one.leg);
    const confirmedFrom = Date.now();
    await pause(one.durationMs);
    const confirmedTo = Date.now();
    const isUndone = isConfirmed && (await sendControl(conversation, client, callId, `un${one.action}`, one.leg));
    conversation.controls.push({
      control: one,
      // A reversal that was never confirmed may not take effect before the end of the call.
      span: { from, to: isUndone ? Date.now() : Infinity },
      confirmed: { from: confirmedFrom, to: isConfirmed ? confirmedTo : confirmedFrom },
    });
  }
  await waitForTime(talkMs / 2);
  await stop();
  await waitForTime(talkMs);
}

async function sendControl(
  conversation: Conversation,
  client: Client,
  callId: string,
  action: string,
  leg: string,
): Promise<boolean> {
  const reply = await client.requestUntilFinal('POST', `/v1/calls/${callId}/${action}`, {
    json: { leg },
    // A phone may see the answer before an application that was down does.
    retryableCodes: ['CALL_NOT_ANSWERED', 'AGENT_LEG_NOT_CONNECTED'],
    isNeeded: () => !isOver(conversation),
  });
  note(conversation, `${action} ${leg}: ${reply.status} ${reply.code}`);
  const isExpected =
    reply.status === 200 || reply.code === 'OVER' || (reply.code === 'CALL_NOT_ACTIVE' && isOver(conversation));
  if (!isExpected)
    conversation.faults.push(`${action} ${leg} was answered ${reply.status} ${reply.code} during the call`);
  return reply.status === 200;
}

async function end(conversation: Conversation, { client }: Stage): Promise<void> {
  const { endedBy } = conversation.plan;
  if (isOver(conversation)) return;
  note(conversation, `ended by ${endedBy}`);
  if (endedBy === 'customer') return conversation.customer?.hangUp();
  if (endedBy === 'other' && conversation.other) {
    conversation.other.hangUp();
    return;
  }
  const callId = await findCallId(conversation, client);
  conversation.apiHangupAt = Date.now();
  const reply = await client.requestUntilFinal('POST', `/v1/calls/${callId}/hangup`, {
    isNeeded: () => !isOver(conversation),
  });
  note(conversation, `hangup: ${reply.status} ${reply.code}`);
  const isExpected = reply.status === 200 || reply.code === 'OVER' || isOver(conversation);
  if (!isExpected) conversation.faults.push(`hangup was answered ${reply.status} ${reply.code} during the call`);
}

/**
 * The id of the call. For an incoming call, the client searches the caller's call among the latest ones, as an operator
 * would.
 */
async function findCallId(conversation: Conversation, client: Client): Promise<string> {
  if (conversation.callId !== '') return conversation.callId;
  const line = conversation.plan.line;
  const reply = await client.requestUntilFinal('GET', '/v1/calls?direction=inbound&limit=100', {});
  const calls = reply.body.data as readonly {
    readonly call_id: string;
    readonly line_number: string | null;
    readonly metadata: object;
  }[];
  const found = calls.find(({ line_number }) => line_number === line);
  conversation.callId = found?.call_id ?? '';
  return conversation.callId;
}

/** Whether all of its legs have ended. */
export function isOver(conversation: Conversation): boolean {
  const { customer, other, isDialling } = conversation;
  return !isDialling && (customer?.isOver ?? false) && (other?.isOver ?? true);
}

function note(conversation: Conversation, text: string): void {
  conversation.history.push(`${new Date().toISOString().slice(11, 23)} client ${text}`);
}

async function waitUntil(holds: () => boolean, limitMs: number): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!holds() && Date.now() < deadline) await pause(20);
}
