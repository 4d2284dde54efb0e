import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../data/database.js';
import { recordEvents } from '../../data/outbox.js';
import type { MessageLinks } from '../../data/repositories/messaging/links.js';
import { addMessages, touchThreads } from '../../data/repositories/messaging/message-batches.js';
import type { Messages, ThreadTouch } from '../../data/repositories/messaging/messages.js';
import type { MessageLinkRow, MessageRow } from '../../data/rows.js';
import { atMost } from '../../model/cache-size.js';
import { newId } from '../../model/ids.js';
import type { Credit } from '../billing/credit.js';
import { Batcher } from '../runtime/batcher.js';
import { messageEvent } from './message-event.js';
import type { MessageVelocity } from './velocity.js';

export interface StoreMessagesOptions {
  readonly messages: Pick<Messages, 'transaction'>;
  readonly credit: Pick<Credit, 'admitAmount'>;
  readonly links: Pick<MessageLinks, 'add'>;
  readonly velocity: Pick<MessageVelocity, 'take'>;
  readonly wake: (lanes: readonly string[]) => void;
  readonly chats: {
    /** What else happens in a chat when somebody writes in it. @returns the lanes that now have deliveries */
    answered(tx: Queryable, row: MessageRow): Promise<readonly string[]>;
  };
}

/** A message that has passed every check. */
interface CheckedMessage {
  readonly row: Omit<MessageRow, 'thread_id'>;
  readonly links: readonly MessageLinkRow[];
}

const MOST_AT_ONCE = 100;
const MOST_GROUPS = 1_000;

/**
 * Stores accepted messages: each with its price held, its conversation, its links and its event. Messages of a project
 * on one channel that arrive while others are being stored are one transaction: they would wait for each other anyway,
 * because the limits of the project are locked until the commit.
 */
export class StoreMessages {
  readonly #groups = new LRUCache<string, Batcher<CheckedMessage, MessageRow>>(atMost(MOST_GROUPS));

  constructor(private readonly options: StoreMessagesOptions) {}

  /**
   * Resolves when the message is committed.
   * @throws HatifError MESSAGE_VELOCITY_EXCEEDED, SPEND_CAP_EXCEEDED, INSUFFICIENT_CREDITS: then nothing of it is stored
   */
  store(message: CheckedMessage): Promise<MessageRow> {
    const { project_id, sandbox, channel, recipient } = message.row;
    // A chat is locked with its message: those of several visitors would be locked in any order.
    const group = `${project_id} ${sandbox} ${channel} ${channel === 'webchat' ? recipient : ''}`;
    const known = this.#groups.get(group) ?? this.#newGroup();
    this.#groups.set(group, known);
    return known.add(message);
  }

  #newGroup(): Batcher<CheckedMessage, MessageRow> {
    return new Batcher((messages) => this.#storeAll(messages), { maxItems: MOST_AT_ONCE, isolates: true });
  }

  /** @param messages of one project, its sandbox or not, and of one channel */
  async #storeAll(messages: readonly CheckedMessage[]): Promise<readonly MessageRow[]> {
    const { credit, links, velocity, wake, chats } = this.options;
    const [first] = messages;
    if (!first) return [];
    const { organization_id: organizationId, project_id: projectId, sandbox } = first.row;
    const [rows, lanes] = await this.options.messages.transaction(async (tx) => {
      await velocity.take(tx, { projectId, sandbox }, messages.length);
      const amount = messages.reduce((sum, { row }) => sum + row.amount, 0);
      if (amount > 0) await credit.admitAmount(tx, { organizationId, projectId }, amount);
      const threads = await touchThreads(tx, touchesOf(messages));
      const made = messages.map(({ row }) => ({ ...row, thread_id: threads.get(row.recipient) ?? '' }));
      await addMessages(tx, made);
      await links.add(
        tx,
        messages.flatMap((message) => message.links),
      );
      const woken: string[] = [];
      for (const row of made) if (row.channel === 'webchat') woken.push(...(await chats.answered(tx, row)));
      woken.push(
        ...(await recordEvents(
          tx,
          made.map((row) => messageEvent(row, row.created_at)),
        )),
      );
      return [made, woken] as const;
    });
    wake(lanes);
    return rows;
  }
}

/** What the messages change in their conversations: one for each person, as if one came after the other. */
function touchesOf(messages: readonly CheckedMessage[]): readonly ThreadTouch[] {
  const touches = new Map<string, ThreadTouch>();
  for (const { row } of messages) {
    const { organization_id, project_id, sandbox, channel, recipient: address, sender, agent, created_at } = row;
    const before = touches.get(address);
    touches.set(address, {
      ...{ id: before?.id ?? newId(), organization_id, project_id, sandbox, channel, address },
      ...{ sender: sender ?? before?.sender ?? null, agent: before?.agent ?? agent, last_message_at: created_at },
    });
  }
  return [...touches.values()];
}
