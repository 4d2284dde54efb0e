import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import type { Agents } from '../../data/repositories/accounts/agents.js';
import type { VoicemailBoxes } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { AgentRow, NumberRow } from '../../data/rows.js';
import {
  FORWARD_CASES,
  type CallForwarding,
  type ForwardCase,
  type ForwardingChange,
  type ForwardTarget,
} from '../../model/call/forwarding.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { destinationClassOf } from '../../model/number/destination-class.js';
import { maskedForwarding } from '../../model/objects/forwarding.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { checkNumber, type ForeignNumbers } from '../dialling/destination-stage.js';
import { checkClass, type DiallingRights } from '../dialling/policy-stage.js';
import { unknownAgent, withoutPassword, type AgentView } from './agents.js';

/** Look-ups for the targets of forwards. */
export type ForwardingDirectory = Omit<DiallingRights, 'fraudDefaults'> &
  ForeignNumbers & {
    numberByE164(e164: string): Promise<NumberRow | null>;
    /** Returns the number that rings this agent, if there is one. */
    numberOfAgent(projectId: string, agent: string): Promise<NumberRow | null>;
  };

export interface ManageForwardingOptions {
  readonly db: Database;
  readonly agents: Pick<Agents, 'findByExtension' | 'setForwarding'>;
  readonly directory: ForwardingDirectory;
  readonly boxes: Pick<VoicemailBoxes, 'get'>;
  /** Numbers to which nothing is forwarded. */
  readonly emergency: ReadonlySet<string>;
  /** Notifies the processes that route calls. */
  readonly announce: () => Promise<void>;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
  readonly clock: Clock;
}

/** Sets where the calls of agents are forwarded to. Calls in progress, and phones that ring, continue. */
export class ManageForwarding {
  constructor(private readonly options: ManageForwardingOptions) {}

  /**
   * Changes an agent's forwarding; `agent.forwarding_changed` reports it. What is as wanted already changes nothing.
   * @throws HatifError NOT_FOUND; INVALID_PHONE_NUMBER; VALIDATION_ERROR for a target that does not exist;
   * INSUFFICIENT_PERMISSIONS for a number that the agent may not call
   */
  async change(projectId: string, extension: string, given: ForwardingChange): Promise<AgentView> {
    const { db, agents, announce, wake, clock } = this.options;
    const found = await agents.findByExtension(projectId, extension);
    if (!found) throw unknownAgent(extension);
    const change = await this.#checked(found, given);
    const { row, lanes } = await db.transaction(async (tx) => {
      const changed = await agents.setForwarding(tx, projectId, extension, change);
      if (!changed) throw unknownAgent(extension);
      const { before, after } = changed;
      if (isDeepStrictEqual(before.forwarding, after.forwarding)) return { row: after, lanes: [] };
      const { organization_id, agent, forwarding } = after;
      const event = projectEvent({
        ...{ organization_id, project_id: projectId, sandbox: false, created_at: clock.now() },
        type: 'agent.forwarding_changed',
        data: maskedForwarding(agent, forwarding),
      });
      return { row: after, lanes: await recordEvent(tx, event) };
    });
    if (lanes.length > 0) wake(lanes);
    await announce();
    return withoutPassword(row);
  }

  async #checked(agent: AgentRow, given: ForwardingChange): Promise<Partial<CallForwarding>> {
    const { do_not_disturb, no_answer_seconds: seconds } = given;
    const targets: Partial<Record<ForwardCase, ForwardTarget | null>> = {};
    for (const each of FORWARD_CASES) {
      const to = given[each];
      if (to !== undefined) targets[each] = to && (await this.#checkedTarget(agent, `${each}.target`, to));
    }
    return {
      ...targets,
      ...(do_not_disturb !== undefined && { do_not_disturb }),
      ...(seconds !== undefined && { no_answer_seconds: seconds }),
    };
  }

  #checkedTarget(agent: AgentRow, path: string, to: ForwardTarget): Promise<ForwardTarget> {
    if (to.type === 'agent') return this.#colleague(agent, path, to.target);
    return to.type === 'number' ? this.#number(agent, path, to.target) : this.#box(agent, path, to.target);
  }

  async #colleague({ project_id, agent }: AgentRow, path: string, target: string): Promise<ForwardTarget> {
    if (target === agent) throw invalidField(path, { en: 'is the agent itself', ar: 'هو تحويلة الموظف نفسه' });
    if (await this.options.agents.findByExtension(project_id, target)) return { type: 'agent', target };
    throw invalidField(path, { en: `there is no agent ${target}`, ar: arabic`لا يوجد موظف بالتحويلة ${target}` });
  }

  /** @param box the number of the box; null: the agent's own */
  async #box({ project_id, agent }: AgentRow, path: string, box: string | null): Promise<ForwardTarget> {
    const { directory, boxes } = this.options;
    const target = box === null ? null : e164Of(box, path);
    const number = await (target === null
      ? directory.numberOfAgent(project_id, agent)
      : directory.numberByE164(target));
    const found = number?.project_id === project_id ? await boxes.get(number.id) : null;
    if (found?.enabled === true) return { type: 'voicemail', target };
    throw invalidField(path, target === null ? NO_OWN_VOICEMAIL : NO_VOICEMAIL);
  }

  async #number({ project_id, agent }: AgentRow, path: string, number: string): Promise<ForwardTarget> {
    const { directory, emergency } = this.options;
    await checkNumber(directory, number, path, emergency);
    const target = e164Of(number, path);
    const known = await directory.numberByE164(target);
    const isOwn = known?.project_id === project_id;
    if (isOwn && known.binding?.type === 'agent' && known.binding.target === agent) {
      throw invalidField(path, { en: 'is the agent’s own number', ar: 'هو رقم الموظف نفسه' });
    }
    // A call to a number of the project costs nothing; one of another project is charged like any other.
    if (!isOwn) {
      const needed = destinationClassOf(target, await directory.highRiskPrefixes());
      await checkClass(directory, { projectId: project_id, agent }, needed);
    }
    return { type: 'number', target };
  }
}

const NO_OWN_VOICEMAIL = {
  en: 'the agent has no number with voicemail that is on',
  ar: 'لا رقم للموظف بريده الصوتي مفعّل',
};
const NO_VOICEMAIL = { en: 'has no voicemail that is on', ar: 'بريده الصوتي غير مفعّل' };

/** @throws HatifError INVALID_PHONE_NUMBER */
function e164Of(text: string, field: string): string {
  const number = parseNumber(text, { allowForeign: true });
  if (!number) throw new HatifError('INVALID_PHONE_NUMBER', { field });
  return number.e164;
}
