import { violatedUnique } from '../../data/errors.js';
import type { QueueChanges, Queues } from '../../data/repositories/queues/queues.js';
import type { QueueRow } from '../../data/rows.js';
import { HatifError, invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { QueueCoordinator } from './coordinator.js';
import { queueFacts } from './facts.js';

/** The settings of a queue that clients choose, without those derived from them. */
export type QueueSettings = Omit<
  QueueRow,
  'id' | 'organization_id' | 'project_id' | 'music_path' | 'created_at' | 'removed_at'
>;

export interface QueueServiceOptions {
  readonly queues: Queues;
  readonly coordinator: Pick<QueueCoordinator, 'notifyReliably'>;
  /** Whether the project has this number, E.164. */
  readonly hasNumber: (projectId: string, e164: string) => Promise<boolean>;
  readonly hasCallflow: (projectId: string, callflowId: string) => Promise<boolean>;
  /** Returns the path of the uploaded audio for engines; null if the project has no such file. */
  readonly musicPath: (projectId: string, audioId: string) => Promise<string | null>;
  readonly clock: Clock;
  /** Invalidates the caches of numbers and codes in all processes. */
  readonly announce: () => Promise<void>;
}

/** The queues of a project. */
export class QueueService {
  constructor(private readonly options: QueueServiceOptions) {}

  list(projectId: string): Promise<QueueRow[]> {
    return this.options.queues.list(projectId);
  }

  /** @param after the name of the last queue of the page before */
  page(projectId: string, after: string | null, limit: number): Promise<QueueRow[]> {
    return this.options.queues.page(projectId, after, limit);
  }

  /** @throws HatifError NOT_FOUND */
  get(projectId: string, id: string): Promise<QueueRow> {
    return findQueue(this.options.queues, projectId, id);
  }

  /** @throws HatifError VALIDATION_ERROR, also if another queue has the name or code */
  async create(
    owner: { readonly projectId: string; readonly organizationId: string },
    settings: QueueSettings,
  ): Promise<QueueRow> {
    const { queues, clock } = this.options;
    const row: QueueRow = {
      ...settings,
      ...(await this.#checked(owner.projectId, null, settings)),
      id: newId(),
      organization_id: owner.organizationId,
      project_id: owner.projectId,
      created_at: clock.now(),
      removed_at: null,
    };
    await unique(row, () => queues.create(row));
    await this.#publish(row);
    return row;
  }

  /** Callers who already wait continue under the new rules. @throws HatifError NOT_FOUND, VALIDATION_ERROR */
  async change(projectId: string, id: string, changes: Partial<QueueSettings>): Promise<QueueRow> {
    const before = await this.get(projectId, id);
    const written: QueueChanges = {
      ...changes,
      ...(await this.#checked(projectId, id, { ...before, ...changes })),
    };
    await unique({ ...before, ...written }, () => this.options.queues.change(projectId, id, written));
    const row = await this.get(projectId, id);
    await this.#publish(row);
    return row;
  }

  /** Sends waiting callers to the queue's overflow destination. @throws HatifError NOT_FOUND */
  async remove(projectId: string, id: string): Promise<void> {
    const { queues, coordinator, clock, announce } = this.options;
    await this.get(projectId, id);
    await queues.remove(projectId, id, clock.now());
    coordinator.notifyReliably(projectId, (dispatcher) =>
      dispatcher.queue(id) ? [{ type: 'queue_removed', queueId: id }] : [],
    );
    await announce();
  }

  async #publish(row: QueueRow): Promise<void> {
    this.options.coordinator.notifyReliably(row.project_id, (dispatcher) => queueFacts(dispatcher, row));
    await this.options.announce();
  }

  /** Checks references, and returns the path of the music. */
  async #checked(
    projectId: string,
    id: string | null,
    { overflow, music }: Pick<QueueSettings, 'overflow' | 'music'>,
  ): Promise<Pick<QueueRow, 'music_path'>> {
    const unknown = await this.#unknownOverflow(projectId, id, overflow);
    if (unknown) throw invalidField('overflow.target', unknown);
    if (music === null) return { music_path: null };
    const path = await this.options.musicPath(projectId, music);
    if (path !== null) return { music_path: path };
    throw invalidField('music', {
      en: 'is not an audio file of this project',
      ar: 'ليس ملفًا صوتيًّا في هذا المشروع',
    });
  }

  /** Returns what is wrong with the overflow destination, or null if it is valid. */
  async #unknownOverflow(projectId: string, id: string | null, overflow: QueueRow['overflow']): Promise<Phrase | null> {
    const { queues, hasNumber, hasCallflow } = this.options;
    const { type } = overflow;
    const target = overflow.target ?? '';
    switch (type) {
      case 'queue':
        return target !== id && (await queues.get(projectId, target)) ? null : UNKNOWN.queue;
      case 'voicemail':
        return (await hasNumber(projectId, target)) ? null : UNKNOWN.voicemail;
      case 'callflow':
        return (await hasCallflow(projectId, target)) ? null : UNKNOWN.callflow;
      default:
        return null;
    }
  }
}

/** @throws HatifError NOT_FOUND, also for a queue of another project */
export async function findQueue(queues: Pick<Queues, 'get'>, projectId: string, id: string): Promise<QueueRow> {
  const row = await queues.get(projectId, id);
  if (!row) throw unknownQueue(id);
  return row;
}

export function unknownQueue(id: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the queue ${id}`, ar: arabic`قائمة الانتظار ${id}` } });
}

const UNKNOWN = {
  queue: { en: 'is not another queue of this project', ar: 'ليس قائمة انتظار أخرى في هذا المشروع' },
  voicemail: { en: 'is not a number of this project', ar: 'ليس رقمًا في هذا المشروع' },
  callflow: { en: 'is not a call flow of this project', ar: 'ليس مسار مكالمات في هذا المشروع' },
} as const satisfies Record<string, Phrase>;

async function unique<T>(row: Pick<QueueRow, 'name' | 'dial_code'>, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    switch (violatedUnique(error)) {
      case 'queues_name':
        throw invalidField('name', {
          en: `a queue ${row.name} exists already`,
          ar: arabic`توجد قائمة انتظار بالاسم ${row.name}`,
        });
      case 'queues_dial_code':
        throw invalidField('dial_code', {
          en: `another queue has the code ${row.dial_code ?? ''}`,
          ar: arabic`لدى قائمة انتظار أخرى الرمز ${row.dial_code ?? ''}`,
        });
      default:
        throw error;
    }
  }
}
