import { unlessUnavailable } from '../../data/errors.js';
import type { Queues } from '../../data/repositories/queues/queues.js';
import type { QueueRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { QueueCoordinator } from '../queues/coordinator.js';

/** How a request identifies the queue. */
export type QueueReference = { readonly id: string } | { readonly name: string };

export interface CallbackQueuesOptions {
  readonly queues: Pick<Queues, 'get' | 'findByName'>;
  readonly coordinator: Pick<QueueCoordinator, 'view'>;
}

/** Looks up the queues whose agents call customers back. */
export class CallbackQueues {
  constructor(private readonly options: CallbackQueuesOptions) {}

  /** Null if the project has no such queue. */
  find(projectId: string, reference: QueueReference): Promise<QueueRow | null> {
    const { queues } = this.options;
    return 'id' in reference ? queues.get(projectId, reference.id) : queues.findByName(projectId, reference.name);
  }

  /** @throws HatifError VALIDATION_ERROR */
  async get(projectId: string, reference: QueueReference): Promise<QueueRow> {
    const found = await this.find(projectId, reference);
    if (found) return found;
    throw invalidField('id' in reference ? 'queue_id' : 'from_queue', {
      en: 'is not a queue of this project',
      ar: 'ليس قائمة انتظار في هذا المشروع',
    });
  }

  /**
   * A queue with at least one agent signed in and not paused. @throws HatifError SANDBOX_INVALID_QUEUE,
   * SANDBOX_QUEUE_UNAVAILABLE
   */
  async getServed(projectId: string, reference: QueueReference): Promise<QueueRow> {
    const found = await this.find(projectId, reference);
    if (!found) throw new HatifError('SANDBOX_INVALID_QUEUE');
    if (!(await this.#isServed(found))) throw new HatifError('SANDBOX_QUEUE_UNAVAILABLE');
    return found;
  }

  async #isServed({ id, project_id: projectId }: QueueRow): Promise<boolean> {
    const view = await unlessUnavailable(this.options.coordinator.view(projectId), () => null);
    return (view?.agents ?? []).some(
      ({ paused, memberships }) => paused === null && memberships.some(({ queueId, isIn }) => queueId === id && isIn),
    );
  }
}
