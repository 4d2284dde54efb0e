import type { Messages } from '../../data/repositories/messaging/messages.js';
import { invalidField, type HatifError } from '../../model/errors/index.js';
import type { Channel } from '../../model/messaging/channels.js';
import type { MessageClass } from '../../model/messaging/message.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import type { Credit } from '../billing/credit.js';
import type { ChannelAccess } from './channel-access.js';
import type { ChooseSender } from './choose-sender.js';
import type { MessageTexts } from './content.js';
import { refusalOf, type AdmissionCheck, type MessageGate } from './gate.js';
import type { MessagePrices } from './prices.js';
import type { MessageVelocity } from './velocity.js';
import { OTHER_CLASS, softphoneOf, type MessageWriter } from './send.js';
import type { SoftphoneRecipients } from './softphones/recipients.js';

/** A message that is not sent. */
export interface ExplainedMessage {
  readonly channel: Channel;
  readonly to: string;
  readonly from: string | null;
  readonly class: MessageClass | null;
  readonly template: { readonly name: string; readonly language: string } | null;
  readonly scheduledAt: Date | null;
}

export const RULE_SOURCES = ['platform', 'organization', 'project', 'recipient', 'regulation'] as const;

/** What a rule says about a message. */
export interface Verdict {
  readonly rule: string;
  readonly source: (typeof RULE_SOURCES)[number];
  readonly passed: boolean;
  readonly error_code: string | null;
  /** When a rule that refuses now will let it pass; null if time does not change that. */
  readonly until: string | null;
}

export interface ExplainMessageOptions {
  readonly messages: Pick<Messages, 'threadWith' | 'transaction'>;
  readonly texts: MessageTexts;
  readonly access: Pick<ChannelAccess, 'assert'>;
  readonly recipients: Pick<SoftphoneRecipients, 'of'>;
  readonly senders: ChooseSender;
  readonly gate: MessageGate;
  readonly prices: MessagePrices;
  readonly credit: Pick<Credit, 'admitAmount'>;
  readonly velocity: Pick<MessageVelocity, 'assert'>;
  readonly clock: Clock;
}

/** Says why a message would be accepted or refused, by the same checks that accept and refuse. */
export class ExplainMessage {
  constructor(private readonly options: ExplainMessageOptions) {}

  /**
   * Runs all checks, and stores nothing.
   * @returns them in the order in which a message meets them
   * @throws HatifError INVALID_PHONE_NUMBER for an extension that nobody has
   */
  async explain(message: ExplainedMessage, writer: MessageWriter): Promise<readonly Verdict[]> {
    const { messages, texts, access, recipients, senders, gate, prices, credit, velocity, clock } = this.options;
    const { channel, to, template, scheduledAt } = message;
    const { organizationId, projectId, sandbox } = writer;
    const isInside = (await softphoneOf(recipients, message, writer)) !== null;
    const channelRefusal = await refusalOf(access.assert(channel, 'send', writer, isInside));
    let of = message.class ?? 'service';
    const judgeTemplate = async (): Promise<void> => {
      if (template === null) return;
      const { category } = await texts.read(channel, { template: { ...template, variables: null } }, writer);
      of = category ?? of;
      if (message.class !== null && message.class !== of) throw invalidField('class', OTHER_CLASS);
    };
    const templateRefusal = await refusalOf(judgeTemplate());
    const thread = await messages.threadWith(writer, channel, to);
    const judgeSender = async (): Promise<void> => {
      senders.assertOwn(thread, writer.agent);
      await senders.choose(message, of, thread, writer);
    };
    const senderRefusal = await refusalOf(judgeSender());
    const at = scheduledAt ?? clock.now();
    const subject = {
      organizationId,
      projectId,
      sandbox,
      channel,
      to,
      class: of,
      at,
      isScheduled: scheduledAt !== null,
      isTemplate: template !== null,
    };
    const judged = await gate.judge(subject);
    // Of the shortest text.
    const priced = { ...writer, channel, recipient: to, segments: 1, at: clock.now() };
    const amount = isInside ? 0 : await prices.amount(priced);
    const pays = async (): Promise<void> => {
      if (amount > 0) await messages.transaction((tx) => credit.admitAmount(tx, writer, amount));
    };
    const paces = (): Promise<void> => messages.transaction((tx) => velocity.assert(tx, writer, 1));
    const now = clock.now();
    return [
      verdict({ rule: 'channel', source: 'organization' }, channelRefusal, now),
      ...(template === null ? [] : [verdict({ rule: 'template', source: 'project' }, templateRefusal, now)]),
      verdict({ rule: 'sender', source: 'project' }, senderRefusal, now),
      ...judged.map(([check, refusal]) => verdict(check, refusal, now)),
      verdict({ rule: 'velocity', source: 'platform' }, await refusalOf(paces()), now),
      verdict({ rule: 'balance', source: 'project' }, await refusalOf(pays()), now),
    ];
  }
}

function verdict(
  { rule, source }: Pick<AdmissionCheck, 'rule'> & Pick<Verdict, 'source'>,
  refusal: HatifError | null,
  now: Date,
): Verdict {
  return {
    ...{ rule, source, passed: refusal === null, error_code: refusal?.code ?? null },
    until: refusal === null ? null : untilOf(refusal, now),
  };
}

/** When a refusal ends by itself. */
function untilOf({ slots, retryAfterSeconds }: HatifError, now: Date): string | null {
  if (typeof slots.until === 'string') return slots.until;
  return retryAfterSeconds === null ? null : isoTime(new Date(now.getTime() + retryAfterSeconds * 1_000));
}
