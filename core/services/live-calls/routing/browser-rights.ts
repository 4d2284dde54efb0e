import type { AgentRow, WebSessionRow } from '../../../data/rows.js';
import { NO_FORWARDING } from '../../../model/call/forwarding.js';
import { NO_SKILLS } from '../../../model/queue/skills.js';
import { matchesNumber, WEB_TARGETS, type WebOnly, type WebTarget } from '../../../model/web-calling.js';
import { DEFAULT_PRIORITY } from '../../agents/new-agent.js';
import type { ProgramSpec } from '../../call-state/program.js';

/** A target that a browser names instead of dialling: `queue.support`. */
export interface NamedTarget {
  readonly type: Exclude<WebTarget, 'number'>;
  readonly name: string;
}

/** What a browser dialled by its kind and name; null for anything else. */
export function namedTarget(dialled: string): NamedTarget | null {
  const [, type, name] = /^([a-z]+)\.(.+)$/.exec(dialled) ?? [];
  const known = WEB_TARGETS.find((target) => target === type);
  return known === undefined || known === 'number' || name === undefined ? null : { type: known, name };
}

/**
 * Whether the session lets its browser have this call. Services of agents, such as feature codes, are for the browsers of
 * agents.
 * @param number the number that was dialled, in E.164; null if it was no number
 */
export function mayReach({ agent, rights }: WebSessionRow, number: string | null, spec: ProgramSpec | null): boolean {
  const { outgoing, numbers, only } = rights;
  if (only !== undefined) return number === null && isOnly(only, spec);
  if (number !== null) return outgoing.includes('number') && matchesNumber(number, numbers);
  switch (spec?.type) {
    case 'connect':
      return outgoing.includes('agent');
    case 'queue':
      return outgoing.includes('queue');
    case 'callflow':
      return outgoing.includes('callflow');
    default:
      return agent !== null;
  }
}

function isOnly({ type, target }: WebOnly, spec: ProgramSpec | null): boolean {
  if (spec?.type === 'queue') return type === 'queue' && spec.queueId === target;
  return spec?.type === 'connect' && type === 'agent' && spec.to.type === 'agent' && spec.to.target === target;
}

/** The caller of a session that is nobody of the project's agents: no agent has this extension. */
export function guestOf(session: WebSessionRow): AgentRow {
  const { id, project_id, organization_id, aor, display_name, sip_password, created_at } = session;
  return {
    ...{ id, project_id, organization_id, aor, display_name, sip_password, created_at },
    agent: '',
    may_call_out: true,
    // The project's are what counts.
    destination_classes: [],
    fraud_limits: null,
    caller_id_number: null,
    record_calls: false,
    priority: DEFAULT_PRIORITY,
    skills: NO_SKILLS,
    forwarding: NO_FORWARDING,
  };
}
