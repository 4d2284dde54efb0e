import type { Channel } from '../../model/messaging/channels.js';
import { isId } from '../../model/ids.js';
import { smsSegments } from '../../model/messaging/sms-text.js';
import type {
  ChannelListener,
  MessageChannel,
  OutgoingMessage,
  SubmitOutcome,
} from '../../ports/messaging/message-channel.js';
import { SANDBOX_FAILED } from './checks.js';

const PROVIDER = 'sandbox';
const ROOM = 50;

/** The channels of the sandbox: nothing leaves, and the number decides about the outcome. */
export class SandboxChannel implements MessageChannel {
  constructor(
    readonly channel: Channel,
    private readonly listener: Pick<ChannelListener, 'receipt'>,
    /** Reaches the visitors of the sandbox's widgets, as it reaches others. */
    private readonly webchat: Pick<MessageChannel, 'submit'>,
  ) {}

  isConfigured(): Promise<boolean> {
    return Promise.resolve(true);
  }

  segments(text: string): number {
    return this.channel === 'sms' ? smsSegments(text) : 1;
  }

  parts(): number {
    return 1;
  }

  free(): number {
    return ROOM;
  }

  async submit(message: OutgoingMessage): Promise<SubmitOutcome> {
    const { id, to, from } = message;
    if (isId(to)) return this.webchat.submit(message, 1);
    const isFailed = to === SANDBOX_FAILED;
    // As at real providers, the receipt may be there before the response.
    await this.listener.receipt({
      ...{ provider: PROVIDER, providerId: id, recipient: to, sender: from },
      state: isFailed ? 'failed' : 'delivered',
      failure: isFailed ? { reason: 'unreachable', providerCode: null } : null,
    });
    return { kind: 'accepted', provider: PROVIDER, providerId: id };
  }
}
