import type { Conversation } from '../phones/conversation.js';
import type { Evidence } from './evidence.js';

/**
 * The history of a call in chronological order: its phones, its client, its timeline, the outages, and its webhooks.
 */
export async function historyOf(conversation: Conversation, callId: string, evidence: Evidence): Promise<string> {
  const { db, receiver, outages, processes, carrier } = evidence;
  const timeline = await db.query<{ at: Date; type: string; data: object }>(
    `SELECT at, type, data FROM call_timeline WHERE call_id = $1
     UNION ALL SELECT created_at, type || ' #' || sequence, jsonb_build_object('status', data->'status', 'recovered', recovered)
     FROM events WHERE call_id = $1`,
    [callId === '' ? null : callId],
  );
  const legs = [...carrier.legsOf(conversation.plan.customer), ...carrier.legsOf(conversation.plan.other)];
  const webhooks = receiver.requests.filter(({ data }) => data.call_id === callId && callId !== '');
  const lines = [
    ...conversation.history,
    ...legs.flatMap(({ history }) => history),
    ...timeline.map(({ at, type, data }) => `${clock(at)} record ${type} ${JSON.stringify(data)}`),
    ...outages.map(({ at, point }) => `${clock(new Date(at))} KILL ${point}`),
    ...outages.flatMap(({ readyAt }) => (readyAt === null ? [] : [`${clock(new Date(readyAt))} ready again`])),
  ].sort();
  const first = lines.findIndex((line) => !/KILL|ready again/.test(line));
  const last = lines.findLastIndex((line) => !/KILL|ready again/.test(line));
  return [
    `call ${conversation.plan.index} ${callId}: ${JSON.stringify(conversation.plan)}`,
    ...lines.slice(Math.max(0, first - 2), last + 2).map((line) => `  ${line}`),
    `  webhooks: ${webhooks.map(({ type, data, status }) => `${type} #${String(data.sequence)} ${String(status)}`).join(', ')}`,
    ...(callId === ''
      ? []
      : processes.flatMap((one, index) => one.logOf(callId).map((line) => `  log ${index + 1} ${line}`))),
  ].join('\n');
}

function clock(at: Date): string {
  return at.toISOString().slice(11, 23);
}
