import type { VerificationRow, VerifyChannel } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { CodeSendError, type CodeChannels } from '../../ports/code-channel.js';
import { SpeechError } from '../../ports/speech.js';
import type { Placer } from '../calls/placement.js';
import type { OneTimeCodes } from '../codes/one-time-codes.js';
import { isLegRefusal } from '../dialling/refusals.js';
import type { SpokenCodes } from '../codes/spoken-codes.js';

export interface CodeSenderOptions {
  readonly codes: OneTimeCodes;
  readonly spoken: SpokenCodes;
  readonly channels: CodeChannels;
}

/** A code to send. */
export interface Sending {
  readonly verification: Pick<VerificationRow, 'id' | 'channel' | 'recipient' | 'language' | 'sandbox'>;
  readonly lifetimeSeconds: number;
  readonly brand: string | null;
}

/** The channel that a request names; null lets the platform choose. */
export interface ChannelRequest {
  readonly channel: VerifyChannel | null;
  /** Never choose voice, because the number is already in a call. */
  readonly neverByVoice?: boolean;
}

/** Channels for a number if the request names none: the first one that the project has configured. */
const PREFERRED = ['sms', 'chatapp', 'voice'] as const satisfies readonly VerifyChannel[];

/** Sends codes, each through its channel. */
export class CodeSender {
  constructor(private readonly options: CodeSenderOptions) {}

  /**
   * Returns the requested channel, or the best one configured for the recipient. The sandbox has all channels.
   * @throws HatifError CHANNEL_NOT_CONFIGURED
   */
  async channelFor(
    { channel: requested, neverByVoice = false }: ChannelRequest,
    isAddress: boolean,
    placer: Placer,
    sandbox: boolean,
  ): Promise<VerifyChannel> {
    if (requested !== null) {
      if (sandbox || (await this.#isConfigured(requested, placer))) return requested;
      throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: requested });
    }
    if (isAddress) return this.channelFor({ channel: 'email' }, true, placer, sandbox);
    if (sandbox) return 'voice';
    for (const channel of PREFERRED) {
      if (neverByVoice && channel === 'voice') continue;
      if (await this.#isConfigured(channel, placer)) return channel;
    }
    throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: 'voice' });
  }

  /** Checks that the recipient can be reached at all. @throws as {@link SpokenCodes.check} does, for a number */
  async check(channel: VerifyChannel, to: string, placer: Placer, sandbox: boolean): Promise<void> {
    const { spoken } = this.options;
    if (channel === 'voice') await spoken.check(to, placer, sandbox);
    else if (channel !== 'email') await spoken.checkNumber(to, placer, sandbox);
  }

  /**
   * @throws HatifError VERIFY_SEND_FAILED; for a call also {@link LEG_REFUSALS}, and in the sandbox the simulator's
   * errors
   */
  async send(sending: Sending, placer: Placer): Promise<void> {
    const { channel, sandbox } = sending.verification;
    try {
      if (channel === 'voice') await this.#sendByCall(sending, placer);
      else await this.#sendMessage(sending, channel, placer);
    } catch (error) {
      if (isLegRefusal(error)) throw error;
      const isOurs = error instanceof HatifError && (sandbox ? error.code === 'CALL_FAILED' : true);
      if (!isOurs && !(error instanceof CodeSendError) && !(error instanceof SpeechError)) throw error;
      throw new HatifError('VERIFY_SEND_FAILED', { channel }, { cause: error });
    }
  }

  async #sendByCall({ verification, brand }: Sending, placer: Placer): Promise<void> {
    const { codes, spoken } = this.options;
    const { id, recipient, language, sandbox } = verification;
    // The sandbox's digits are known in advance, so they are valid at once.
    if (sandbox) await codes.make(id);
    await spoken.call({ codeId: id, to: recipient, language, brand, sandbox }, placer);
  }

  async #sendMessage(
    { verification, brand, lifetimeSeconds }: Sending,
    channel: Exclude<VerifyChannel, 'voice'>,
    placer: Placer,
  ) {
    const { id, recipient, language, sandbox } = verification;
    const code = await this.options.codes.make(id);
    if (sandbox || code === null) return;
    const port = this.options.channels[channel];
    if (!port) throw new CodeSendError(`the channel ${channel} is no longer configured`);
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
