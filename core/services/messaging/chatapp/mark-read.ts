import type { CallScope } from '../../../data/repositories/calls/calls.js';
import type { Messages } from '../../../data/repositories/messaging/messages.js';
import type { MessageRow } from '../../../data/rows.js';
import { messagingProviderFailed } from '../../../model/errors/index.js';
import type { Channel } from '../../../model/messaging/channels.js';
import type { Clock } from '../../../ports/clock.js';
import { ProviderUnavailable } from '../../../ports/messaging/provider-errors.js';
import type { ReadReceipts } from '../../../ports/messaging/message-channel.js';
import type { ChannelAccess, ChannelUser } from '../channel-access.js';
import { unknownMessage } from '../unknown.js';

export interface MarkReadOptions {
  readonly messages: Pick<Messages, 'get' | 'markRead' | 'providerIdOf'>;
  readonly access: Pick<ChannelAccess, 'assert'>;
  /** The channels that report to a person that a message was read. */
  readonly channels: ReadonlyMap<Channel, ReadReceipts>;
  readonly clock: Clock;
}

const RETRY_SECONDS = 5;

/** Notes that messages of people were read, and reports it to them if their channel can do so. */
export class MarkRead {
  constructor(private readonly options: MarkReadOptions) {}

  /**
   * A repeat changes nothing.
   * @throws HatifError NOT_FOUND, also for an outbound message and one of the other kind; what ChannelAccess.assert throws;
   * INTERNAL_ERROR (502) if the provider failed
   */
  async read(scope: CallScope, user: ChannelUser, id: string): Promise<MessageRow> {
    const { messages, access, channels, clock } = this.options;
    const row = await messages.get(scope, id);
    if (row?.direction !== 'inbound' || row.sandbox !== user.sandbox) throw unknownMessage(id);
    await access.assert(row.channel, 'read_receipts', user);
    if (row.read_at !== null) return row;
    const providerId = await messages.providerIdOf(row.id);
    if (!user.sandbox && providerId !== null) {
      try {
        await channels.get(row.channel)?.markRead(row.project_id, row.recipient, providerId);
      } catch (error) {
        if (error instanceof ProviderUnavailable) throw messagingProviderFailed(RETRY_SECONDS, error);
        throw error;
      }
    }
    const at = clock.now();
    await messages.markRead(row, at);
    return { ...row, read_at: at };
  }
}
