import type { Queryable } from '../../data/database.js';
import type { Messages } from '../../data/repositories/messaging/messages.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { AgentRow, MessageThreadRow } from '../../data/rows.js';
import { invalidField } from '../../model/errors/index.js';
import { unknownThread } from './unknown.js';

/** What else happens to a chat that is given to somebody. */
export interface GivenChats {
  /** In the transaction. @param to who has it now, and before; null: nobody @returns the lanes that now have deliveries */
  given(
    tx: Queryable,
    threadId: string,
    kind: ProjectKind,
    to: { readonly agent: string | null; readonly before: string | null },
  ): Promise<readonly string[]>;
  /** After it. */
  announce(address: string): void;
}

/** Gives conversations to agents, who see and write their own only. */
export class AssignThread {
  constructor(
    private readonly messages: Pick<Messages, 'transaction' | 'agentOf' | 'assign'>,
    private readonly agentByExtension: (projectId: string, agent: string) => Promise<Pick<AgentRow, 'id'> | null>,
    private readonly chats: GivenChats,
    private readonly wake: (lanes: readonly string[]) => void,
  ) {}

  /** @throws HatifError VALIDATION_ERROR for an unknown agent; NOT_FOUND, also for a conversation of the other kind */
  async assign(kind: ProjectKind, threadId: string, agent: string | null): Promise<MessageThreadRow> {
    if (agent !== null && (await this.agentByExtension(kind.projectId, agent)) === null) {
      throw invalidField('agent', { en: 'is not an agent of this project', ar: 'ليس موظفًا في هذا المشروع' });
    }
    const [row, lanes] = await this.messages.transaction(async (tx) => {
      const before = await this.messages.agentOf(tx, threadId);
      const assigned = await this.messages.assign(tx, kind, threadId, agent);
      if (!assigned) throw unknownThread(threadId);
      const isChat = assigned.channel === 'webchat';
      return [assigned, isChat ? await this.chats.given(tx, threadId, kind, { agent, before }) : []] as const;
    });
    this.wake(lanes);
    if (row.channel === 'webchat') this.chats.announce(row.address);
    return row;
  }
}
