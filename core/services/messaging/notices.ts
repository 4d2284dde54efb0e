import { HatifError } from '../../model/errors/index.js';
import type { MessageChannel, RawNotice } from '../../ports/messaging/message-channel.js';
import { NoticeError } from '../../ports/notice.js';

/** Takes what providers report on their own, each in its own form and with its own signature. */
export class TakeNotices {
  /** @param providers by the name in the path of their notices */
  constructor(private readonly providers: ReadonlyMap<string, Pick<MessageChannel, 'takeNotice'>>) {}

  /** @throws HatifError NOT_FOUND for an unknown provider, WEBHOOK_UNAUTHORIZED, WEBHOOK_PAYLOAD_INVALID */
  async take(provider: string, notice: RawNotice): Promise<void> {
    const channel = this.providers.get(provider);
    if (!channel?.takeNotice) {
      throw new HatifError('NOT_FOUND', { what: { en: `the provider ${provider}`, ar: `المزوّد \`${provider}\`` } });
    }
    try {
      await channel.takeNotice(notice);
    } catch (error) {
      if (!(error instanceof NoticeError)) throw error;
      if (error.problem === 'unauthorized') throw new HatifError('WEBHOOK_UNAUTHORIZED', {}, { cause: error });
      throw new HatifError('WEBHOOK_PAYLOAD_INVALID', { reason: error.message }, { cause: error });
    }
  }
}
