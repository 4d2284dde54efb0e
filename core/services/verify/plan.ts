import type { SendStep } from '../../data/rows.js';
import type { Placer } from '../calls/placement.js';
import type { ChannelRequest, CodeSender } from './sender.js';

export interface PlanRequest extends ChannelRequest {
  /** E.164, or an e-mail address. */
  readonly to: string;
  readonly fallback?: readonly SendStep[];
}

type SandboxPlacer = Placer & { readonly sandbox: boolean };

/**
 * Returns the channels in the order in which they are tried: the requested one, else each that is configured; then the
 * fallback. @throws HatifError CHANNEL_NOT_CONFIGURED
 */
export async function planSending(
  sender: CodeSender,
  request: PlanRequest,
  placer: SandboxPlacer,
): Promise<readonly [SendStep, ...SendStep[]]> {
  const { to: recipient, fallback = [] } = request;
  const { sandbox } = placer;
  const [first, ...others] = await sender.channelsFor(request, recipient.includes('@'), placer, sandbox);
  for (const step of fallback) {
    await sender.channelFor({ channel: step.channel }, step.recipient.includes('@'), placer, sandbox);
  }
  const further = others.map((channel) => ({ channel, recipient }));
  const named = new Set(fallback.map(({ channel }) => channel));
  return [{ channel: first, recipient }, ...further.filter(({ channel }) => !named.has(channel)), ...fallback];
}

/**
 * Without a fallback the first channel must work now. With one, a channel that does not is passed over.
 * @throws as {@link CodeSender.check} and {@link CodeSender.checkNumber} do
 */
export async function assertReachable(
  sender: CodeSender,
  first: SendStep,
  fallback: readonly SendStep[],
  placer: SandboxPlacer,
): Promise<void> {
  const { sandbox } = placer;
  if (fallback.length === 0) return sender.check(first.channel, first.recipient, placer, sandbox);
  for (const { channel, recipient } of [first, ...fallback]) {
    if (channel !== 'email') await sender.checkNumber(recipient, placer, sandbox);
  }
}
