import type { AttendedChat, ChatAttendances } from '../../../data/repositories/messaging/chat-attendance.js';
import type { Dispatcher } from '../../../model/queue/dispatcher.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { PeriodicTask } from '../../runtime/periodic-task.js';
import type { ChatAssignment } from './assignment.js';

export interface ReturnChatsOptions {
  readonly attendances: Pick<ChatAttendances, 'left' | 'returned' | 'fromOffers' | 'purge'>;
  readonly assignment: Pick<ChatAssignment, 'left' | 'back'>;
  /** The agents of a project as they are now. */
  readonly queues: (projectId: string) => Promise<Pick<Dispatcher, 'agents'>>;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 5_000;
const BATCH_SIZE = 200;
const KEPT_MS = 30 * 86_400_000;

/**
 * Gives chats back whose agents have left: who signed out, whose session was ended, whose pages are closed for a while, or
 * who signed out of the queue that offered the chat.
 */
export class ReturnChats implements PeriodicTask {
  readonly name = 'chats of agents who left';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = 5;

  constructor(private readonly options: ReturnChatsOptions) {}

  async run(): Promise<void> {
    const { attendances, assignment, clock } = this.options;
    const now = clock.now();
    await this.#each(await attendances.returned(now, BATCH_SIZE), (...chat) => assignment.back(...chat));
    const left = [...(await attendances.left(now, BATCH_SIZE)), ...(await this.#signedOut())];
    await this.#each(left, (...chat) => assignment.left(...chat));
    await attendances.purge(new Date(now.getTime() - KEPT_MS));
  }

  /** Chats of agents who are not signed in any more to the queue that offered them. */
  async #signedOut(): Promise<readonly AttendedChat[]> {
    const chats = await this.options.attendances.fromOffers();
    const projects = [...new Set(chats.map(({ project_id }) => project_id))];
    const views = new Map<string, Pick<Dispatcher, 'agents'>>();
    for (const projectId of projects) views.set(projectId, await this.options.queues(projectId));
    return chats.filter(({ project_id, agent, queue_id }) => {
      const entry = views.get(project_id)?.agents.find((one) => one.agent === agent);
      return entry?.memberships.some(({ queueId, isIn }) => queueId === queue_id && isIn) !== true;
    });
  }

  /** One chat that fails holds up no other. */
  async #each(
    chats: readonly AttendedChat[],
    change: (...chat: Parameters<ChatAssignment['left']>) => Promise<unknown>,
  ) {
    for (const { project_id: projectId, thread_id, agent } of chats) {
      await change({ projectId, sandbox: false }, thread_id, agent).catch((err: unknown) => {
        this.options.log.warn({ err, projectId }, 'a chat of an agent who left was not given back; it is tried again');
      });
    }
  }
}
