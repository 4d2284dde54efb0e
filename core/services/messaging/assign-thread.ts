import type { Messages } from '../../data/repositories/messaging/messages.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { AgentRow, MessageThreadRow } from '../../data/rows.js';
import { invalidField } from '../../model/errors/index.js';
import { unknownThread } from './unknown.js';

/** Gives conversations to agents, who see and write their own only. */
export class AssignThread {
  constructor(
    private readonly messages: Pick<Messages, 'assign'>,
    private readonly agentByExtension: (projectId: string, agent: string) => Promise<Pick<AgentRow, 'id'> | null>,
  ) {}

  /** @throws HatifError VALIDATION_ERROR for an unknown agent; NOT_FOUND, also for a conversation of the other kind */
  async assign(kind: ProjectKind, threadId: string, agent: string | null): Promise<MessageThreadRow> {
    if (agent !== null && (await this.agentByExtension(kind.projectId, agent)) === null) {
      throw invalidField('agent', { en: 'is not an agent of this project', ar: 'ليس موظفًا في هذا المشروع' });
    }
    const row = await this.messages.assign(kind, threadId, agent);
    if (!row) throw unknownThread(threadId);
    return row;
  }
}
