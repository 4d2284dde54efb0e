import { isFinal, type CallStatus } from '../../../core/model/call/call.js';
import type { Loss, CallRecord } from './loss.js';
import type { Evidence } from './evidence.js';

/**
 * Each call must have a legal path of states, the sequences 1..n without a gap, exactly one final event, and the same
 * bytes at each attempt. Events of unknown calls are losses.
 */
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
    if (!known.has(String(data.call_id))) loss(String(data.call_id), `${type} of an unknown call`);
  }
  for (const { call, events } of all) {
    const received = accepted.filter(({ data }) => data.call_id === call.id);
    check(call.id, () => receiver.assertLegalPath(call.id));
    const finals = received.filter(
      ({ type, data }) => type === `call.${String(data.status)}` && isFinal(data.status as CallStatus),
    );
    if (finals.length !== 1) loss(call.id, `${finals.length} final events`);
    if (finals[0] && finals[0].data.status !== call.status)
      loss(call.id, `the final event says ${String(finals[0].data.status)}, the row ${call.status}`);
    if (events.length !== call.last_sequence) loss(call.id, `${events.length} events up to ${call.last_sequence}`);
    const sequences = received.map(({ data }) => Number(data.sequence)).sort((one, other) => one - other);
    if (sequences.join() !== events.map(({ sequence }) => sequence).join()) {
      loss(call.id, `the receiver has ${sequences.join()} of ${events.length} events`);
    }
  }
}
