import type { Use, UseKind, Uses } from '../../data/repositories/maintenance/uses.js';
import type { NumberRow } from '../../data/rows.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { arabic } from '../../model/wording/wording.js';
import type { AskedBy } from '../access/operator-audit.js';
import type { AgentService, AgentView } from '../agents/agents.js';
import type { ManageNumbers } from '../numbers/manage.js';
import type { NumberService } from '../numbers/numbers.js';
import { agentChangeReporter } from '../queues/facts.js';
import type { QueueCoordinator } from '../queues/coordinator.js';
import type { ReadQueues } from '../queues/read.js';
import type { TrunkService } from '../trunks/trunks.js';

export interface RemovalOptions {
  readonly uses: Uses;
  readonly agents: Pick<AgentService, 'get' | 'remove'>;
  readonly numbers: Pick<NumberService, 'list'>;
  readonly manageNumbers: Pick<ManageNumbers, 'release'>;
  readonly trunks: Pick<TrunkService, 'list' | 'remove'>;
  readonly queues: Pick<ReadQueues, 'members'>;
  readonly coordinator: Pick<QueueCoordinator, 'notifyReliably' | 'idle'>;
}

/** How many things of one kind an error lists. */
const LISTED = 5;

const KINDS: Readonly<Record<UseKind, Phrase>> = {
  bound_number: { en: 'bound numbers', ar: 'أرقام مربوطة به' },
  own_binding: { en: 'destination of its calls', ar: 'وجهة المكالمات الواردة إليه' },
  default_destination: { en: 'default destination of callbacks in', ar: 'الوجهة التلقائية لمعاودة الاتصال في' },
  flow: { en: 'call flows', ar: 'مسارات المكالمات' },
  widget: { en: 'widgets', ar: 'أدوات الاتصال' },
  queue_login: { en: 'logged in to the queues', ar: 'مسجَّل الدخول في قوائم الانتظار' },
  queue_overflow: { en: 'overflow of the queues', ar: 'وجهة من لم يُرَدّ عليه في قوائم الانتظار' },
  caller_id: { en: 'caller ID of the agents', ar: 'رقم المتصل للموظفين' },
  forwarding: { en: 'forwarded calls of the agents', ar: 'إعادة توجيه مكالمات الموظفين' },
  virtual_number: { en: 'virtual number of the end users', ar: 'رقم افتراضي للمستخدمين النهائيين' },
  trunk_route: { en: 'routes', ar: 'مسارات الاتصال الصادر' },
  live_call: { en: 'live calls', ar: 'مكالمات جارية' },
};

/**
 * Removes agents, numbers and trunks for the operator, but only those that nothing uses. A use that begins while the
 * removal runs may be missed; live calls of an agent and virtual numbers are checked again in the removal itself.
 */
export class Removal {
  constructor(private readonly options: RemovalOptions) {}

  /** @throws HatifError NOT_FOUND, VALIDATION_ERROR with everything that uses the agent, AGENT_ON_CALL */
  async agent(projectId: string, extension: string): Promise<AgentView> {
    const { agents, uses, queues, coordinator } = this.options;
    await agents.get(projectId, extension);
    const logins = (await queues.members(projectId, undefined)).filter(
      ({ agent, status }) => agent === extension && status !== 'logged_out',
    );
    assertUnused('agent', extension, [
      ...(await uses.ofAgent(projectId, extension)),
      ...logins.map(({ queue }): Use => ({ kind: 'queue_login', name: queue })),
    ]);
    const removed = await agents.remove(projectId, extension);
    agentChangeReporter(coordinator)(projectId, removed, 'removed');
    await coordinator.idle();
    return removed;
  }

  /**
   * Releases a number, as the API does. @throws HatifError INVALID_PHONE_NUMBER, NUMBER_NOT_FOUND, VALIDATION_ERROR with
   * everything that uses the number, NUMBER_ALREADY_ASSIGNED, PORTING_INVALID_STATE
   */
  async number(projectId: string, text: string): Promise<NumberRow> {
    const { numbers, manageNumbers, uses } = this.options;
    const e164 = parseNumber(text, { allowForeign: true })?.e164;
    if (e164 === undefined) throw new HatifError('INVALID_PHONE_NUMBER', { field: 'number' });
    const row = (await numbers.list(projectId)).find((number) => number.e164 === e164);
    if (!row) throw new HatifError('NUMBER_NOT_FOUND', { id: e164 });
    assertUnused('number', e164, await uses.ofNumber(projectId, row.id, e164));
    await manageNumbers.release({ projectId, sandbox: row.sandbox }, row.id);
    return row;
  }

  /** @returns null if there is no trunk of this name. @throws HatifError VALIDATION_ERROR while calls or routes use the trunk */
  trunk(name: string): Promise<RemovedTrunk | null> {
    return removeTrunk(this.options, name);
  }
}

export interface RemovedTrunk {
  readonly name: string;
  readonly wasDefault: boolean;
}

/** As {@link Removal.trunk}. */
export async function removeTrunk(
  { trunks, uses }: Pick<RemovalOptions, 'trunks' | 'uses'>,
  name: string,
  by: AskedBy = 'command',
): Promise<RemovedTrunk | null> {
  const trunk = (await trunks.list()).find((other) => other.name === name);
  if (!trunk) return null;
  assertUnused('trunk', name, await uses.ofTrunk(trunk.id));
  return (await trunks.remove(name, by)) ? { name, wasDefault: trunk.is_default } : null;
}

function assertUnused(field: string, name: string, uses: readonly Use[]): void {
  if (uses.length === 0) return;
  const kinds = [...new Set(uses.map(({ kind }) => kind))];
  const lines = kinds.map((kind) => {
    const names = uses.filter((use) => use.kind === kind).map((use) => use.name);
    const shown = names.slice(0, LISTED);
    const more = names.length - shown.length;
    return { ...KINDS[kind], names: more === 0 ? shown : [...shown, `+${more}`] };
  });
  throw invalidField(field, {
    en: `${name} is still in use: ${lines.map(({ en, names }) => `${en}: ${names.join(', ')}`).join('; ')}`,
    ar: `${arabic`${name} ما زال مستخدمًا`}: ${lines.map(({ ar, names }) => `${ar}: ${arabic`${names}`}`).join('؛ ')}`,
  });
}
