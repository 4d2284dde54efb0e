import type { Agents } from '../../data/repositories/accounts/agents.js';
import type { Callflows } from '../../data/repositories/calls/callflows.js';
import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { Queues } from '../../data/repositories/queues/queues.js';
import type { Projects } from '../../data/repositories/accounts/projects.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { NumberRow, ProjectRow } from '../../data/rows.js';
import type { Inventory } from '../../data/repositories/numbers/inventory.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { OwnableKind } from '../../model/number/search.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { parseSipUri } from '../../model/sip-uri.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { DemoNumbers } from './demo-numbers.js';
import { newNumberRow, type NumberAssigner } from './number-assigner.js';
import { numberTaken } from './order.js';

export interface NumberServiceOptions {
  readonly numbers: Numbers;
  readonly inventory: Inventory;
  readonly assigner: NumberAssigner;
  readonly demo: Pick<DemoNumbers, 'withdraw'>;
  readonly projects: Projects;
  readonly agents: Agents;
  readonly queues: Pick<Queues, 'get' | 'findByName'>;
  readonly callflows: Pick<Callflows, 'has'>;
  readonly virtualNumbers: Pick<VirtualNumbers, 'ofNumber'>;
  /** Makes this and all other processes look numbers up again. */
  readonly announce: () => Promise<void>;
  readonly clock: Clock;
}

/** The destination of calls to a number. */
export type Binding =
  | { readonly type: 'agent' | 'number' | 'sip' | 'queue' | 'callflow'; readonly target: string }
  /** Null: the number's own voicemail box. */
  | { readonly type: 'voicemail'; readonly target: string | null }
  | { readonly type: 'echo'; readonly target: null };

/** Manages a project's numbers, and the destinations of calls to them. */
export class NumberService {
  constructor(private readonly options: NumberServiceOptions) {}

  list(projectId: string): Promise<NumberRow[]> {
    return this.options.numbers.listByProject(projectId);
  }

  /** A page of {@link list}. @param after the id of the last number of the page before */
  page(projectId: string, after: string | null, limit: number): Promise<NumberRow[]> {
    return this.options.numbers.pageByProject(projectId, after, limit);
  }

  /**
   * Adds a number that a trunk delivers to this installation; it may already be in the inventory. A project's first
   * number becomes its main number. A number of the operator ends the offer of the demo's.
   * @param source `demo`: no trunk delivers it
   * @throws HatifError INVALID_PHONE_NUMBER, NUMBER_ALREADY_ASSIGNED, NUMBER_NOT_AVAILABLE, VALIDATION_ERROR if the
   * binding is invalid.
   */
  async add(
    project: Pick<ProjectRow, 'id' | 'organization_id'>,
    text: string,
    binding: Binding | null = null,
    source: 'operator' | 'demo' = 'operator',
  ): Promise<NumberRow> {
    const { e164, kind } = readAnyNumber('number', text);
    const assignment = {
      reason: source === 'demo' ? 'added for the demo' : 'added by the operator',
      binding: await this.#check({ projectId: project.id, sandbox: false }, binding),
      mayBeMain: true,
    };
    const { inventory, assigner, demo, clock } = this.options;
    const owner = { projectId: project.id, organizationId: project.organization_id, sandbox: false };
    const at = clock.now();
    const owned = { project_id: project.id, organization_id: project.organization_id, assigned_at: at };
    const fresh = newNumberRow({ e164, kind, state: 'assigned', source, ...owned }, at);
    return assigner.change(async (tx, lanes) => {
      if (source === 'operator') await demo.withdraw(tx);
      const row =
        (await assigner.add(tx, lanes, { ...fresh, ...owned, binding: assignment.binding }, assignment)) ??
        (await assigner.assign(tx, lanes, e164, ['available', 'released'], owner, assignment, {
          source,
          provider: null,
        }));
      if (row) return row;
      throw numberTaken((await inventory.find(e164, tx)) ?? fresh);
    });
  }

  /**
   * Sets the destination of calls to a number; null rejects them. Calls in progress continue.
   * @throws HatifError INVALID_PHONE_NUMBER, NUMBER_NOT_FOUND, VALIDATION_ERROR.
   */
  async bind(projectId: string, text: string, binding: Binding | null): Promise<NumberRow> {
    const e164 = readNumber('number', text);
    const row = (await this.list(projectId)).find((number) => number.e164 === e164);
    if (!row) throw new HatifError('NUMBER_NOT_FOUND', { id: e164 });
    return this.#bind(row, binding);
  }

  /**
   * Same as {@link bind}, with the number's id; the number may also be one of the sandbox.
   * @throws HatifError INVALID_PHONE_NUMBER, NUMBER_NOT_FOUND, VALIDATION_ERROR.
   */
  async bindById(of: ProjectKind, id: string, binding: Binding | null): Promise<NumberRow> {
    const row = await this.options.numbers.get(of, id);
    if (!row) throw new HatifError('NUMBER_NOT_FOUND', { id });
    return this.#bind(row, binding);
  }

  async #bind(row: NumberRow, binding: Binding | null): Promise<NumberRow> {
    const { numbers, virtualNumbers, announce } = this.options;
    if (await virtualNumbers.ofNumber(row.id)) {
      throw invalidField('type', {
        en: 'the number is an end user’s virtual number: its instructions determine where calls to it go',
        ar: 'هذا رقم افتراضي لمستخدم نهائي، وتعليماته هي التي تحدد وجهة المكالمات الواردة إليه',
      });
    }
    const checked = await this.#check({ projectId: row.project_id, sandbox: row.sandbox }, binding);
    await numbers.setBinding(row.id, checked);
    await announce();
    return { ...row, binding: checked };
  }

  /**
   * Sets the destination that customers are connected with in callbacks without a queue; null rejects such callbacks.
   * @throws HatifError INVALID_PHONE_NUMBER, VALIDATION_ERROR.
   */
  async setDefaultDestination(projectId: string, destination: Binding | null): Promise<Binding | null> {
    if (destination?.type === 'voicemail') {
      throw invalidField('type', {
        en: 'a voicemail box cannot be the default destination of callbacks',
        ar: 'لا يمكن أن يكون البريد الصوتي الوجهة التلقائية لمعاودة الاتصال',
      });
    }
    const checked = await this.#check({ projectId, sandbox: false }, destination);
    await this.options.projects.setDefaultDestination(projectId, checked);
    return checked;
  }

  async #check(of: ProjectKind, binding: Binding | null): Promise<Binding | null> {
    if (binding === null) return null;
    const { projectId } = of;
    switch (binding.type) {
      case 'echo':
        return binding;
      case 'voicemail':
        return this.#checkBox(of, binding.target);
      case 'callflow':
        if (await this.options.callflows.has(of, binding.target)) {
          return { type: 'callflow', target: binding.target.toLowerCase() };
        }
        throw invalidField('target', {
          en: `there is no call flow ${binding.target}`,
          ar: arabic`لا يوجد مسار مكالمات بالمعرّف ${binding.target}`,
        });
      case 'number':
        return { type: 'number', target: readNumber('target', binding.target) };
      case 'agent':
        if ((await this.options.agents.findByExtension(projectId, binding.target)) !== null) return binding;
        throw invalidField('target', {
          en: `there is no agent ${binding.target}`,
          ar: arabic`لا يوجد موظف بالتحويلة ${binding.target}`,
        });
      case 'queue': {
        const { queues } = this.options;
        const { target } = binding;
        const queue = (await queues.get(projectId, target)) ?? (await queues.findByName(projectId, target));
        if (queue) return { type: 'queue', target: queue.id };
        throw invalidField('target', {
          en: `there is no queue ${target}`,
          ar: arabic`لا توجد قائمة انتظار بالاسم ${target}`,
        });
      }
      case 'sip':
        if (parseSipUri(binding.target) !== null) return binding;
        throw invalidField('target', { en: 'is not a SIP address', ar: 'ليس عنوان SIP' });
    }
  }

  async #checkBox(of: ProjectKind, text: string | null): Promise<Binding> {
    if (text === null) return { type: 'voicemail', target: null };
    const target = readNumber('target', text);
    if ((await this.options.numbers.findOf(of, target)) !== null) return { type: 'voicemail', target };
    throw invalidField('target', {
      en: `the project has no number ${target}`,
      ar: arabic`ليس في المشروع الرقم ${target}`,
    });
  }
}

function readNumber(field: string, text: string): string {
  return readAnyNumber(field, text).e164;
}

/** @throws HatifError INVALID_PHONE_NUMBER */
function readAnyNumber(field: string, text: string): { e164: string; kind: OwnableKind } {
  const parsed = parseNumber(text, { allowForeign: true });
  if (parsed === null || parsed.kind === 'emergency') throw new HatifError('INVALID_PHONE_NUMBER', { field });
  return { e164: parsed.e164, kind: parsed.kind };
}
