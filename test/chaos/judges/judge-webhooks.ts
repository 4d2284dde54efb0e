import { isFinal, type CallStatus } from '../../../core/model/call/call.js';
import type { Loss, CallRecord } from './loss.js';
import type { Evidence } from './evidence.js';

/** Per call: a legal path, 1..n without a gap, one final event, the same bytes each time; and nothing of calls that there are not. */
export function judgeWebhooks({ receiver, conversations }: Evidence, all: readonly CallRecord[], losses: Loss[]): void {
  const indexOf = new Map(conversations.map(({ callId, plan }) => [callId, plan.index]));
  const loss = (callId: string, text: string): void => {
    losses.push({ kind: 'webhooks', index: indexOf.get(callId) ?? null, text: `${callId}: ${text}` });
  };
  const check = (callId: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      loss(callId, error instanceof Error ? error.message : String(error));
    }
  };
  check('', () => receiver.assertSound());
  const accepted = receiver.accepted().filter(({ data }) => typeof data.call_id === 'string');
  const known = new Set(all.map(({ call }) => call.id));
  for (const { data, type } of accepted) {
    if (!known.has(String(data.call_id))) loss(String(data.call_id), `${type} of a call that there is not`);
  }
  for (const { call, events } of all) {
    const received = accepted.filter(({ data }) => data.call_id === call.id);
    check(call.id, () => receiver.assertLegalPath(call.id));
    const finals = received.filter(
      ({ type, data }) => type === `call.${String(data.status)}` && isFinal(data.status as CallStatus),
    );
    if (finals.length !== 1) loss(call.id, `${finals.length} final events`);
    if (finals[0] && finals[0].data.status !== call.status)
      loss(call.id, `was told ${String(finals[0].data.status)}, is ${call.status}`);
    if (events.length !== call.last_sequence) loss(call.id, `${events.length} events up to ${call.last_sequence}`);
    const sequences = received.map(({ data }) => Number(data.sequence)).sort((one, other) => one - other);
    if (sequences.join() !== events.map(({ sequence }) => sequence).join()) {
      loss(call.id, `the receiver has ${sequences.join()} of ${events.length} events`);
    }
  }
}
