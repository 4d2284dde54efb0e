import { WEBCHAT_PROVIDER } from '../../../core/model/messaging/webchat.js';
import type { ChatSignals } from '../../../core/ports/messaging/chat-signals.js';
import type { MessageChannel, OutgoingMessage, SubmitOutcome } from '../../../core/ports/messaging/message-channel.js';

export interface WebchatChannelOptions {
  readonly signals: Pick<ChatSignals, 'send'>;
  /** Whether pages of the project can have chats. */
  readonly isOffered: (projectId: string) => Promise<boolean>;
}

/** More than that wait for the next round. */
const ROOM = 200;

/**
 * Chats with visitors of web pages. A message that is stored is sent: the visitor's page gets it from the database, now or
 * when the visitor comes back, and confirms it.
 */
export class WebchatChannel implements MessageChannel {
  readonly channel = 'webchat';

  constructor(private readonly options: WebchatChannelOptions) {}

  isConfigured(projectId: string): Promise<boolean> {
    return this.options.isOffered(projectId);
  }

  segments(): number {
    return 1;
  }

  parts(): number {
    return 1;
  }

  free(): number {
    return ROOM;
  }

  submit({ id, to }: OutgoingMessage): Promise<SubmitOutcome> {
    this.options.signals.send({ kind: 'messages', chatId: to });
    return Promise.resolve({ kind: 'accepted', provider: WEBCHAT_PROVIDER, providerId: id });
  }
}
