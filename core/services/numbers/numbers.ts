import { violatedUnique } from '../../data/errors.js';
import type { Agents } from '../../data/repositories/agents.js';
import type { Numbers } from '../../data/repositories/numbers.js';
import type { Queues } from '../../data/repositories/queues.js';
import type { Projects } from '../../data/repositories/projects.js';
import type { NumberRow, ProjectRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { parseSipUri } from '../../model/sip-uri.js';
import type { Clock } from '../../ports/clock.js';

export interface NumberServiceOptions {
  readonly numbers: Numbers;
  readonly projects: Projects;
  readonly agents: Agents;
  readonly queues: Pick<Queues, 'get' | 'findByName'>;
  readonly clock: Clock;
}

/** Where calls to a number can go now. */
export type Binding =
  | { readonly type: 'agent' | 'number' | 'sip' | 'queue'; readonly target: string }
  | { readonly type: 'echo'; readonly target: null };

/** The numbers of a project, and what a call to each of them reaches. */
export class NumberService {
  constructor(private readonly options: NumberServiceOptions) {}

  list(projectId: string): Promise<NumberRow[]> {
    return this.options.numbers.listByProject(projectId);
  }

  /**
   * Add a number that a trunk delivers here. A project's first number becomes its main number.
   * @throws HatifError INVALID_PHONE_NUMBER, NUMBER_ALREADY_ASSIGNED, VALIDATION_ERROR for its binding.
   */
  async add(
    project: Pick<ProjectRow, 'id' | 'organization_id' | 'main_number'>,
    text: string,
    binding: Binding | null = null,
  ): Promise<NumberRow> {
    const row: NumberRow = {
      id: newId(),
      organization_id: project.organization_id,
      project_id: project.id,
      e164: readNumber('number', text),
      state: 'assigned',
      binding: await this.#check(project.id, binding),
      created_at: this.options.clock.now(),
    };
    try {
      await this.options.numbers.create(row);
    } catch (error) {
      if (violatedUnique(error) === 'numbers_e164') {
        throw new HatifError('NUMBER_ALREADY_ASSIGNED', { number: row.e164 });
      }
      throw error;
    }
    if (project.main_number === null) await this.options.projects.setMainNumber(project.id, row.e164);
    return row;
  }

  /**
   * Send calls to the number somewhere, or nowhere (null). Calls that run go on.
   * @throws HatifError INVALID_PHONE_NUMBER, NUMBER_NOT_FOUND, VALIDATION_ERROR.
   */
  async bind(projectId: string, text: string, binding: Binding | null): Promise<NumberRow> {
    const e164 = readNumber('number', text);
    const row = (await this.list(projectId)).find((number) => number.e164 === e164);
    if (!row) throw new HatifError('NUMBER_NOT_FOUND', { id: e164 });
    const checked = await this.#check(projectId, binding);
    await this.options.numbers.setBinding(row.id, checked);
    return { ...row, binding: checked };
  }

  /**
   * With whom the project joins customers that it calls back, where no queue is named; null refuses such callbacks.
   * @throws HatifError INVALID_PHONE_NUMBER, VALIDATION_ERROR.
   */
  async setDefaultDestination(projectId: string, destination: Binding | null): Promise<Binding | null> {
    if (destination?.type === 'queue') {
      throw invalidField('binding.type', {
        en: 'a queue cannot be the default destination of callbacks in this release',
        ar: 'لا يمكن أن تكون قائمة الانتظار الوجهة الافتراضية لمعاودة الاتصال في هذا الإصدار',
      });
    }
    const checked = await this.#check(projectId, destination);
    await this.options.projects.setDefaultDestination(projectId, checked);
    return checked;
  }

  async #check(projectId: string, binding: Binding | null): Promise<Binding | null> {
    if (binding === null) return null;
    switch (binding.type) {
      case 'echo':
        return binding;
      case 'number':
        return { type: 'number', target: readNumber('binding.target', binding.target) };
      case 'agent':
        if ((await this.options.agents.findByExtension(projectId, binding.target)) !== null) return binding;
        throw invalidField('binding.target', {
          en: `there is no agent ${binding.target}`,
          ar: `لا يوجد موظف بالاسم ${binding.target}`,
        });
      case 'queue': {
        const { queues } = this.options;
        const { target } = binding;
        const queue = (await queues.get(projectId, target)) ?? (await queues.findByName(projectId, target));
        if (queue) return { type: 'queue', target: queue.id };
        throw invalidField('binding.target', {
          en: `there is no queue ${target}`,
          ar: `لا توجد قائمة انتظار بالاسم ${target}`,
        });
      }
      case 'sip':
        if (parseSipUri(binding.target) !== null) return binding;
        throw invalidField('binding.target', { en: 'is not a SIP address', ar: 'ليس عنوان SIP' });
    }
  }
}

function readNumber(field: string, text: string): string {
  const parsed = parseNumber(text, { allowForeign: true });
  if (parsed === null || parsed.kind === 'emergency') throw new HatifError('INVALID_PHONE_NUMBER', { field });
  return parsed.e164;
}
