import type { VerificationRow, VerifyChannel } from '../../data/rows.js';
import { detailOf, HatifError } from '../../model/errors/index.js';
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

/** What carries a code, until its outcome is known. */
export type CodeCarrier = { readonly callId: string } | { readonly messageId: string };

/** The channel that a request names; null lets the platform choose. */
export interface ChannelRequest {
  readonly channel: VerifyChannel | null;
  /** Never choose voice, because the number is already in a call. */
  readonly neverByVoice?: boolean;
}

/** Channels for a number if the request names none: the first one that the project has configured. */
const PREFERRED = ['sms', 'chatapp', 'voice'] as const satisfies readonly VerifyChannel[];

const NOT_CONFIGURED = { en: 'the channel is not configured', ar: 'القناة غير مهيأة' };
const NO_VOICE = { en: 'the code could not be turned into speech', ar: 'تعذّر تحويل الرمز إلى كلام' };

/** Says in `details` what failed. */
function sendFailed(channel: VerifyChannel, cause: HatifError | CodeSendError | SpeechError): HatifError {
  const reason =
    cause instanceof HatifError
      ? { en: cause.message, ar: cause.messageAr }
      : cause instanceof CodeSendError
        ? cause.reason
        : NO_VOICE;
  return new HatifError('VERIFY_SEND_FAILED', { channel }, { details: [detailOf('channel', reason)], cause });
}

/** Sends codes, each through its channel. */
export class CodeSender {
  constructor(private readonly options: CodeSenderOptions) {}

  /**
   * Returns the requested channel, or the best one configured for the recipient. The sandbox has all channels.
   * @throws HatifError CHANNEL_NOT_CONFIGURED
   */
  async channelFor(
    request: ChannelRequest,
    isAddress: boolean,
    placer: Placer,
    sandbox: boolean,
  ): Promise<VerifyChannel> {
    const [channel] = await this.channelsFor(request, isAddress, placer, sandbox);
    return channel;
  }

  /** As {@link channelFor}, followed by the other configured channels that may be tried if none is requested. */
  async channelsFor(
    { channel: requested, neverByVoice = false }: ChannelRequest,
    isAddress: boolean,
    placer: Placer,
    sandbox: boolean,
  ): Promise<readonly [VerifyChannel, ...VerifyChannel[]]> {
    if (requested !== null) {
      if (sandbox || (await this.#isConfigured(requested, placer))) return [requested];
      throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: requested });
    }
    if (isAddress) return this.channelsFor({ channel: 'email' }, true, placer, sandbox);
    if (sandbox) return ['voice'];
    const configured: VerifyChannel[] = [];
    for (const channel of PREFERRED) {
      if (neverByVoice && channel === 'voice') continue;
      if (await this.#isConfigured(channel, placer)) configured.push(channel);
    }
    const [first, ...others] = configured;
    if (first === undefined) throw new HatifError('CHANNEL_NOT_CONFIGURED', { channel: 'voice' });
    return [first, ...others];
  }

  /** Checks the number only. @throws as {@link SpokenCodes.checkNumber} does */
  checkNumber(to: string, placer: Placer, sandbox: boolean): Promise<void> {
    return this.options.spoken.checkNumber(to, placer, sandbox);
  }

  /**
   * Checks that the recipient can be reached at all.
   * @throws as {@link SpokenCodes.check} does, for a number; VERIFY_SEND_FAILED if no further call may be placed now
   */
  async check(channel: VerifyChannel, to: string, placer: Placer, sandbox: boolean): Promise<void> {
    if (channel === 'email') return;
    if (channel !== 'voice') return this.checkNumber(to, placer, sandbox);
    try {
      await this.options.spoken.check(to, placer, sandbox);
    } catch (error) {
      if (!(error instanceof HatifError) || error.code !== 'CALL_FAILED') throw error;
      throw sendFailed(channel, error);
    }
  }

  /**
   * @returns the call or message that carries the code, if its outcome is known later; its id must not leave the platform
   * @throws HatifError VERIFY_SEND_FAILED; for a call also {@link LEG_REFUSALS}, and in the sandbox the simulator's
   * errors
   */
  async send(sending: Sending, placer: Placer): Promise<CodeCarrier | null> {
    const { channel, sandbox } = sending.verification;
    try {
      if (channel === 'voice') return { callId: await this.#sendByCall(sending, placer) };
      const messageId = await this.#sendMessage(sending, channel, placer);
      return messageId === null ? null : { messageId };
    } catch (error) {
      if (isLegRefusal(error)) throw error;
      if (error instanceof CodeSendError || error instanceof SpeechError) throw sendFailed(channel, error);
      if (!(error instanceof HatifError) || (sandbox && error.code !== 'CALL_FAILED')) throw error;
      throw sendFailed(channel, error);
    }
  }

  async #sendByCall({ verification, brand }: Sending, placer: Placer): Promise<string> {
    const { codes, spoken } = this.options;
    const { id, recipient, language, sandbox } = verification;
    // The sandbox's digits are known in advance, so they are valid at once.
    if (sandbox) await codes.make(id);
    return spoken.call({ codeId: id, to: recipient, language, brand, sandbox }, placer);
  }

  async #sendMessage(
    { verification, brand, lifetimeSeconds }: Sending,
    channel: Exclude<VerifyChannel, 'voice'>,
    placer: Placer,
  ): Promise<string | null> {
    const { id, recipient, language, sandbox } = verification;
    const code = await this.options.codes.make(id);
    if (sandbox || code === null) return null;
    const port = this.options.channels[channel];
    if (!port) throw new CodeSendError(NOT_CONFIGURED);
    return port.send({
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
