import { violatedUnique } from '../../data/errors.js';
import type { Agents, CallingOut } from '../../data/repositories/accounts/agents.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { AgentRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { isExtension } from '../../model/call/destinations.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { NO_SKILLS, type Skills } from '../../model/queue/skills.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { DEFAULT_PRIORITY, newAgentRow, newPassword, uniqueAor, type AgentOwner } from './new-agent.js';

export interface AgentServiceOptions {
  readonly agents: Agents;
  readonly numbers: Pick<Numbers, 'findByE164'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Notifies the processes that own engines that the agents changed, so that they push the change. */
  readonly announce: () => Promise<void>;
}

/** An agent without the SIP password. */
export type AgentView = Omit<AgentRow, 'sip_password'>;

/** The password is returned only once: the platform stores it encrypted. */
export interface AgentWithPassword {
  readonly agent: AgentView;
  readonly sipPassword: string;
}

/** What callers and colleagues see of an agent; an omitted or undefined member is left unchanged. */
export interface AgentProfile {
  readonly display_name?: string | undefined;
  readonly priority?: number | undefined;
  /** Replaces all. */
  readonly skills?: Skills | undefined;
}

const MAX_NAME_LENGTH = 64;

/** Manages agents: the people who take calls, each with a softphone account on every engine. */
export class AgentService {
  constructor(private readonly options: AgentServiceOptions) {}

  async list(projectId: string): Promise<readonly AgentView[]> {
    return (await this.options.agents.listByProject(projectId)).map(withoutPassword);
  }

  /** @param after the extension of the last agent of the page before */
  async page(projectId: string, after: string | null, limit: number): Promise<AgentView[]> {
    return (await this.options.agents.page(projectId, after, limit)).map(withoutPassword);
  }

  /**
   * Creates an agent. The SIP user name (`aor`) is the extension, with a random suffix if another project already uses
   * that name.
   * @throws HatifError VALIDATION_ERROR, also if the project already has this agent.
   */
  async add(
    owner: AgentOwner,
    extension: string,
    displayName = extension,
    priority = DEFAULT_PRIORITY,
    skills: Skills = NO_SKILLS,
  ): Promise<AgentWithPassword> {
    if (!isExtension(extension)) {
      throw invalidField('agent', {
        en: 'must be 2 to 32 letters, digits, dots, dashes or underscores',
        ar: 'يجب أن يتكوّن من 2 إلى 32 حرفًا أو رقمًا أو نقطة أو شرطة (`-`) أو شرطة سفلية (`_`)',
      });
    }
    const { cipher, clock } = this.options;
    const { row, sipPassword } = newAgentRow(owner, extension, checkedName(displayName), cipher, clock.now());
    const stored = await this.#store({ ...row, priority, skills });
    await this.options.announce();
    return { agent: withoutPassword(stored), sipPassword };
  }

  /** @throws HatifError NOT_FOUND */
  async get(projectId: string, extension: string): Promise<AgentView> {
    const row = await this.options.agents.findByExtension(projectId, extension);
    if (!row) throw unknownAgent(extension);
    return withoutPassword(row);
  }

  /** Changes an agent; the change also applies in the agent's queues. @throws HatifError NOT_FOUND, VALIDATION_ERROR */
  async change(
    projectId: string,
    extension: string,
    { display_name, priority, skills }: AgentProfile,
  ): Promise<AgentView> {
    const change = {
      ...(display_name === undefined ? {} : { display_name: checkedName(display_name) }),
      ...(priority === undefined ? {} : { priority }),
      ...(skills === undefined ? {} : { skills }),
    };
    const found =
      Object.keys(change).length === 0 || (await this.options.agents.setProfile(projectId, extension, change));
    if (!found) throw unknownAgent(extension);
    await this.options.announce();
    return this.get(projectId, extension);
  }

  /**
   * Deletes an agent. Its softphone can no longer register; a call that begins at the same moment continues.
   * @throws HatifError NOT_FOUND; AGENT_ON_CALL while the agent is on a call or a call rings the phone.
   */
  async remove(projectId: string, extension: string): Promise<AgentView> {
    const agent = await this.get(projectId, extension);
    if (!(await this.options.agents.removeUnlessOnCall(projectId, extension))) {
      // Another request may have removed the agent meanwhile.
      await this.get(projectId, extension);
      throw new HatifError('AGENT_ON_CALL', { agent: extension });
    }
    await this.options.announce();
    return agent;
  }

  /**
   * Sets a new SIP password; the old one stops working at the phone's next registration.
   * @throws HatifError NOT_FOUND
   */
  async renewPassword(projectId: string, extension: string): Promise<AgentWithPassword> {
    const row = await this.options.agents.findByExtension(projectId, extension);
    if (!row) throw unknownAgent(extension);
    const sipPassword = newPassword();
    await this.options.agents.setPassword(row.id, this.options.cipher.seal(sipPassword));
    await this.options.announce();
    return { agent: withoutPassword(row), sipPassword };
  }

  /**
   * Sets whether an agent may call numbers outside the platform, of which classes, and with which caller ID. Calls in progress continue.
   * @throws HatifError NOT_FOUND; CLI_NOT_OWNED if the number does not belong to the organization;
   * INVALID_PHONE_NUMBER.
   * @returns the change with the number in E.164
   */
  async setCallingOut(owner: AgentOwner, extension: string, change: CallingOut): Promise<CallingOut> {
    const { agents, announce } = this.options;
    const given = change.caller_id_number;
    const number = given === undefined || given === null ? given : await this.#ownNumber(owner, given);
    const checked = { ...change, ...(number !== undefined && { caller_id_number: number }) };
    if (!(await agents.setCallingOut(owner.id, extension, checked))) throw unknownAgent(extension);
    await announce();
    return checked;
  }

  /** @returns the number in E.164 */
  async #ownNumber({ organization_id }: AgentOwner, text: string): Promise<string> {
    const number = parseNumber(text)?.e164;
    if (number === undefined) throw new HatifError('INVALID_PHONE_NUMBER', { field: 'caller_id' });
    const owned = await this.options.numbers.findByE164(number);
    if (owned?.organization_id !== organization_id) throw new HatifError('CLI_NOT_OWNED', { number });
    return number;
  }

  /**
   * Sets whether every call of an agent is recorded from the moment it is answered. Calls in progress are not affected.
   * @throws HatifError NOT_FOUND
   */
  async setRecordCalls(projectId: string, extension: string, record: boolean): Promise<void> {
    if (!(await this.options.agents.setRecordCalls(projectId, extension, record))) throw unknownAgent(extension);
    await this.options.announce();
  }

  async #store(row: AgentRow): Promise<AgentRow> {
    try {
      await this.options.agents.create(row);
      return row;
    } catch (error) {
      switch (violatedUnique(error)) {
        case 'agents_extension':
          throw invalidField('agent', {
            en: `an agent ${row.agent} already exists`,
            ar: arabic`يوجد موظف بالتحويلة ${row.agent}`,
          });
        case 'agents_aor':
          return this.#store({ ...row, aor: uniqueAor(row.agent) });
        default:
          throw error;
      }
    }
  }
}

function checkedName(displayName: string): string {
  const name = displayName.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH || /[\p{Cc}"<>]/u.test(name)) throw invalidField('display_name');
  return name;
}

export function unknownAgent(extension: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the agent ${extension}`, ar: arabic`الموظف ${extension}` } });
}

/** The agent without the SIP password. */
export function withoutPassword({ sip_password, ...shown }: AgentRow): AgentView {
  return shown;
}
