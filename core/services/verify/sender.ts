import type { VerificationRow, VerifyChannel } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { CodeSendError, type CodeChannels } from '../../ports/code-channel.js';
import { SpeechError } from '../../ports/speech.js';
import type { Placer } from '../calls/placement.js';
import type { OneTimeCodes } from '../codes/one-time-codes.js';
import type { SpokenCodes } from '../codes/spoken-codes.js';

export interface CodeSenderOptions {
  readonly codes: OneTimeCodes;
  readonly spoken: SpokenCodes;
  readonly channels: CodeChannels;
}

/** A code that is to be sent. */
export interface Sending {
  readonly verification: Pick<VerificationRow, 'id' | 'channel' | 'recipient' | 'language' | 'sandbox'>;
  readonly lifetimeSeconds: number;
  readonly brand: string | null;
}

/** Null: whichever is best. */
export interface AskedChannel {
  readonly channel: VerifyChannel | null;
  /** The best of the others: the number is on the telephone. */
  readonly neverByVoice?: boolean;
}

/** Which is taken for a number where none is asked for: the first by which the project can send. */
const PREFERRED = ['sms', 'chatapp', 'voice'] as const satisfies readonly VerifyChannel[];

/** Sends codes, each by its channel. */
export class CodeSender {
  constructor(private readonly options: CodeSenderOptions) {}

  /**
   * The channel asked for, or the best there is for the recipient. In the sandbox there are all of them.
   * @throws HatifError CHANNEL_NOT_CONFIGURED
   */
  async channelFor(
    { channel: asked, neverByVoice = false }: AskedChannel,
    isAddress: boolean,
    placer: Placer,
    sandbox: boolean,
  ): Promise<VerifyChannel> {
    if (asked !== null) {
      if (sandbox || (await this.#isConfigured(asked, placer))) return asked;
      throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: asked });
    }
    if (isAddress) return this.channelFor({ channel: 'email' }, true, placer, sandbox);
    if (sandbox) return 'voice';
    for (const channel of PREFERRED) {
      if (neverByVoice && channel === 'voice') continue;
      if (await this.#isConfigured(channel, placer)) return channel;
    }
    throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: 'voice' });
  }

  /** Whether the recipient can be sent to at all. @throws as {@link SpokenCodes.check} does, for a number */
  async check(channel: VerifyChannel, to: string, placer: Placer, sandbox: boolean): Promise<void> {
    if (channel !== 'email') await this.options.spoken.check(to, placer, sandbox);
  }

  /** @throws HatifError VERIFY_SEND_FAILED; in the sandbox what the simulator refuses a call with */
  async send(sending: Sending, placer: Placer): Promise<void> {
    const { channel, sandbox } = sending.verification;
    try {
      if (channel === 'voice') await this.#tell(sending, placer);
      else await this.#write(sending, channel, placer);
    } catch (error) {
      const isOurs = error instanceof HatifError && (sandbox ? error.code === 'CALL_FAILED' : true);
      if (!isOurs && !(error instanceof CodeSendError) && !(error instanceof SpeechError)) throw error;
      throw new HatifError('VERIFY_SEND_FAILED', { channel }, { cause: error });
    }
  }

  async #tell({ verification, brand }: Sending, placer: Placer): Promise<void> {
    const { codes, spoken } = this.options;
    const { id, recipient, language, sandbox } = verification;
    // Everybody knows the sandbox's digits: they count from the beginning.
    if (sandbox) await codes.make(id);
    await spoken.tell({ codeId: id, to: recipient, language, brand, sandbox }, placer);
  }

  async #write(
    { verification, brand, lifetimeSeconds }: Sending,
    channel: Exclude<VerifyChannel, 'voice'>,
    placer: Placer,
  ) {
    const { id, recipient, language, sandbox } = verification;
    const code = await this.options.codes.make(id);
    if (sandbox || code === null) return;
    const port = this.options.channels[channel];
    if (!port) throw new CodeSendError(`there is no ${channel} any more`);
    await port.send({
      id: newId(),
      projectId: placer.projectId,
      to: recipient,
      code,
      language,
      brand,
      lifetimeSeconds,
    });
  }

  async #isConfigured(channel: VerifyChannel, placer: Placer): Promise<boolean> {
    if (channel === 'voice') return placer.mainNumber !== null;
    return (await this.options.channels[channel]?.isConfigured(placer.projectId)) ?? false;
  }
}
