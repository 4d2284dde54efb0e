import type { Messages } from '../../../data/repositories/messaging/messages.js';
import type { MessageTemplates } from '../../../data/repositories/messaging/templates.js';
import type { MessageSenders } from '../../../data/repositories/messaging/senders.js';
import type { MessageRow, OrganizationRow, ProjectRow } from '../../../data/rows.js';
import type { Cipher } from '../../../model/access/cipher.js';
import { newId } from '../../../model/ids.js';
import { NO_EXTRA } from '../../../model/messaging/extra.js';
import { fitsClass, pickSender } from '../../../model/messaging/sender.js';
import type { Clock } from '../../../ports/clock.js';
import { CodeSendError, type CodeChannel, type CodeMessage } from '../../../ports/code-channel.js';
import type { MessageChannel } from '../../../ports/messaging/message-channel.js';
import type { Credit } from '../../billing/credit.js';
import type { MessageGate } from '../gate.js';
import type { MessageVelocity } from '../velocity.js';
import type { MessagePrices } from '../prices.js';

export interface MessageCodesOptions {
  readonly channel: 'sms' | 'chatapp';
  readonly provider: Pick<MessageChannel, 'isConfigured' | 'segments' | 'parts'>;
  readonly messages: Pick<Messages, 'transaction' | 'add'>;
  readonly senders: Pick<MessageSenders, 'approved'>;
  readonly templates: Pick<MessageTemplates, 'forCodes'>;
  readonly isEnabled: (channel: 'sms' | 'chatapp', organization: OrganizationRow) => boolean;
  readonly project: (id: string) => Promise<ProjectRow | null>;
  readonly organization: (id: string) => Promise<OrganizationRow | null>;
  readonly gate: Pick<MessageGate, 'admit'>;
  readonly prices: Pick<MessagePrices, 'amount'>;
  readonly credit: Pick<Credit, 'admitAmount'>;
  readonly velocity: Pick<MessageVelocity, 'take'>;
  readonly cipher: Pick<Cipher, 'seal'>;
  readonly clock: Clock;
  readonly onDue: () => void;
}

/** After this time a code is worth nothing, even if it is valid longer: the person has asked for another one. */
const VALID_MS = 300_000;

/**
 * Sends codes as messages of the platform itself: charged and submitted as any message, but nobody sees them, their texts
 * are sealed until they are submitted, and no event reports them.
 */
export class MessageCodes implements CodeChannel {
  constructor(private readonly options: MessageCodesOptions) {}

  async isConfigured(projectId: string): Promise<boolean> {
    const { channel, provider, senders, templates, isEnabled } = this.options;
    const organization = await this.#organization(projectId);
    if (!organization || !isEnabled(channel, organization) || !(await provider.isConfigured(projectId))) return false;
    if (channel === 'chatapp') return (await templates.forCodes(projectId, null)) !== null;
    const approved = await senders.approved({ projectId, sandbox: false }, channel);
    return approved.some((sender) => fitsClass(sender, 'service'));
  }

  /** Resolves when the message waits for its provider. @returns its id: its outcome is known later */
  async send(message: CodeMessage): Promise<string> {
    const { channel, provider, messages, senders, templates, gate, prices, credit, velocity, cipher, clock, onDue } =
      this.options;
    const { projectId, to, code, language } = message;
    const organization = await this.#organization(projectId);
    if (!organization) throw new CodeSendError(NO_SENDER);
    const template = channel === 'chatapp' ? await templates.forCodes(projectId, language) : null;
    if (channel === 'chatapp' && !template) throw new CodeSendError(NO_TEMPLATE);
    const approved = await senders.approved({ projectId, sandbox: false }, channel);
    const pool = channel === 'sms' ? approved.filter((sender) => fitsClass(sender, 'service')) : approved;
    const sender = pickSender(pool, to);
    if (sender === null) throw new CodeSendError(NO_SENDER);
    const now = clock.now();
    const owner = { organizationId: organization.id, projectId, sandbox: false };
    const subject = { ...owner, channel, to, class: 'service', at: now, isScheduled: false, isTemplate: true } as const;
    await gate.admit(subject);
    const text = textOf(message);
    const segments = provider.segments(text);
    const amount = await prices.amount({ ...owner, organization, channel, recipient: to, segments, at: now });
    const row: MessageRow = {
      ...{ id: newId(), organization_id: organization.id, project_id: projectId, sandbox: false, is_system: true },
      ...{ channel, direction: 'outbound', thread_id: null, recipient: to, sender, class: 'service', status: 'queued' },
      ...{ body: cipher.seal(template ? code : text), subject: null, segments, parts: provider.parts(text), amount },
      content: template && { ...NO_EXTRA, template: { header: [], body: [], otp_button: true } },
      ...{ template_name: template?.name ?? null, template_language: template?.language ?? null },
      ...{ error_reason: null, provider_code: null, metadata: {}, agent: null, created_by_key: null, request_id: null },
      ...{ broadcast_id: null, broadcast_variant: null },
      ...{ scheduled_at: null, valid_until: new Date(now.getTime() + VALID_MS), due_at: now, claimed_at: null },
      ...{ created_at: now, sent_at: null, delivered_at: null, read_at: null, failed_at: null },
    };
    await messages.transaction(async (tx) => {
      await velocity.take(tx, owner, 1);
      if (amount > 0) await credit.admitAmount(tx, owner, amount);
      await messages.add(tx, row);
    });
    onDue();
    return row.id;
  }

  async #organization(projectId: string): Promise<OrganizationRow | null> {
    const project = await this.options.project(projectId);
    return project && this.options.organization(project.organization_id);
  }
}

/** The code is the first number, so that telephones offer to fill it in. */
function textOf({ code, brand, language }: CodeMessage): string {
  if (language === 'en') {
    const whose = brand === null ? 'Your verification code' : `Your verification code for ${brand}`;
    return `${whose}: ${code}. Do not share it with anyone.`;
  }
  const whose = brand === null ? 'رمز التحقق الخاص بك' : `رمز التحقق الخاص بك في ${brand}`;
  return `${whose}: ${code}. لا تشاركه مع أحد.`;
}

const NO_SENDER = { en: 'the project has no sender for codes', ar: 'لا يوجد للمشروع اسم مُرسِل للرموز' };
const NO_TEMPLATE = {
  en: 'the project has no approved template for codes in this language',
  ar: 'لا يوجد للمشروع قالب رموز معتمد بهذه اللغة',
};
