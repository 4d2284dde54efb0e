import { HatifError } from '../../model/errors/index.js';
import type { MessageChannel, RawNotice } from '../../ports/messaging/message-channel.js';
import { NoticeError } from '../../ports/notice.js';

/** A question by which a provider checks the address for its notices. */
export interface Handshake {
  readonly mode: string;
  readonly token: string;
  /** Repeated in the answer. */
  readonly challenge: string;
}

const CHALLENGE = /^[\w-]{1,256}$/;

/** Takes what providers report on their own, each in its own form and with its own signature. */
export class TakeNotices {
  /**
   * @param providers by the name in the path of their notices
   * @param tokens by which providers prove that they ask about an account of this installation, of those that ask
   */
  constructor(
    private readonly providers: ReadonlyMap<string, Pick<MessageChannel, 'takeNotice'>>,
    private readonly tokens: ReadonlyMap<string, { isOurs(token: string): boolean }>,
  ) {}

  /**
   * Confirms that notices may be sent here.
   * @returns the challenge
   * @throws HatifError NOT_FOUND for a provider that does not ask, WEBHOOK_UNAUTHORIZED, WEBHOOK_PAYLOAD_INVALID
   */
  confirm(provider: string, { mode, token, challenge }: Handshake): string {
    const tokens = this.tokens.get(provider);
    if (!tokens) throw unknownProvider(provider);
    if (mode !== 'subscribe' || !tokens.isOurs(token)) throw new HatifError('WEBHOOK_UNAUTHORIZED');
    if (!CHALLENGE.test(challenge))
      throw new HatifError('WEBHOOK_PAYLOAD_INVALID', { reason: 'the challenge is no word' });
    return challenge;
  }

  /** @throws HatifError NOT_FOUND for an unknown provider, WEBHOOK_UNAUTHORIZED, WEBHOOK_PAYLOAD_INVALID */
  async take(provider: string, notice: RawNotice): Promise<void> {
    const channel = this.providers.get(provider);
    if (!channel?.takeNotice) throw unknownProvider(provider);
    try {
      await channel.takeNotice(notice);
    } catch (error) {
      if (!(error instanceof NoticeError)) throw error;
      if (error.problem === 'unauthorized') throw new HatifError('WEBHOOK_UNAUTHORIZED', {}, { cause: error });
      throw new HatifError('WEBHOOK_PAYLOAD_INVALID', { reason: error.message }, { cause: error });
    }
  }
}

function unknownProvider(provider: string): HatifError<'NOT_FOUND'> {
  return new HatifError('NOT_FOUND', { what: { en: `the provider ${provider}`, ar: `المزوّد \`${provider}\`` } });
}
