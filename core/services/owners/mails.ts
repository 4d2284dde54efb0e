import type { DueOwnerMail, OwnerMailbox, OwnerMailData } from '../../data/repositories/accounts/owner-mails.js';
import { whyBlocked } from '../../model/fraud/words.js';
import { riyadhTime } from '../../model/riyadh.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Mailer, MailMessage } from '../../ports/mail.js';
import { sendDueMails, type MailQueue } from '../runtime/mail-queue.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';

export interface OwnerMailsOptions {
  readonly mailbox: OwnerMailbox;
  /** Null if no mail server is configured: mails wait until one is, for two days. */
  readonly mailer: Mailer | null;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 5_000;

/** Mails owners what happened in their organizations. The mails are written in the transaction of what they report. */
export class OwnerMails implements PeriodicTask {
  readonly name = 'owner mails';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: OwnerMailsOptions) {}

  /** Runs until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { mailer, mailbox, clock, log } = this.options;
    await mailbox.removeOld(clock.now());
    if (!mailer) return;
    const queue: MailQueue<DueOwnerMail> = {
      take: (limit, retrySeconds) => mailbox.take(limit, retrySeconds, clock.now()),
      done: (id) => mailbox.done(id),
      compose: (mail) =>
        Promise.resolve(mail.contact_email === null ? null : { to: mail.contact_email, ...written(mail) }),
    };
    await sendDueMails(queue, { mailer, log, what: this.name }, isStopping);
  }
}

const REASONS = {
  failing: {
    ar: 'فشل إرسال الأحداث إليها خمسة أيام متتالية',
    en: 'no event could be delivered to it for five days',
  },
  gone: { ar: 'أرجعت الحالة 410، أي أنها لم تعد موجودة', en: 'it answered 410, which means that it is gone' },
} as const;

function written(mail: DueOwnerMail): Omit<MailMessage, 'to'> {
  return mail.kind === 'fraud_blocked'
    ? fraudBlocked(mail.project, mail.data)
    : disabledWebhook(mail.project, mail.data);
}

/** In both languages, Arabic first, as everywhere in the product. */
function disabledWebhook(
  project: string,
  { url, webhook_id, sandbox, reason, disabled_at }: OwnerMailData['webhook_disabled'],
): Omit<MailMessage, 'to'> {
  const at = shownTime(disabled_at);
  return {
    language: 'ar',
    subject: 'عُطّلت إحدى نقاط Webhook · A webhook endpoint was disabled',
    text: [
      arabic`عُطّلت نقطة Webhook في المشروع ${project}، ولن تصل إليها أحداث أخرى.`,
      `السبب: ${REASONS[reason].ar}`,
      arabic`العنوان: ${url}`,
      arabic`المعرّف: ${webhook_id}`,
      ...(sandbox ? ['البيئة: التجريبية'] : []),
      arabic`الوقت: ${at} بتوقيت الرياض`,
      'أصلح الخادم الذي يستقبل الأحداث، ثم فعّل النقطة وأعد إرسال ما لم يصل إليها من أحداث.',
      '',
      `A webhook endpoint of the project ${project} was disabled and gets no more events.`,
      `Reason: ${REASONS[reason].en}`,
      `URL: ${url}`,
      `ID: ${webhook_id}`,
      ...(sandbox ? ['Environment: sandbox'] : []),
      `Time: ${at} in Riyadh`,
      'Repair the server that receives the events, then enable the endpoint and replay the events that it missed.',
      '',
    ].join('\n'),
  };
}

function fraudBlocked(
  project: string,
  { block_id, agent, number_masked, blocked_at, ...limit }: OwnerMailData['fraud_blocked'],
): Omit<MailMessage, 'to'> {
  const at = shownTime(blocked_at);
  const reason = whyBlocked(limit);
  return {
    language: 'ar',
    subject: 'حُظرت مكالمات خارجية للحماية من الاحتيال · Outside calls were blocked against toll fraud',
    text: [
      agent === null
        ? arabic`حُظرت المكالمات الخارجية للمشروع ${project} كله حتى يُرفع الحظر.`
        : arabic`حُظرت المكالمات الخارجية للموظف ${agent} في المشروع ${project} حتى يُرفع الحظر.`,
      arabic`الحد الذي بلغته المكالمات: ${reason.ar}`,
      arabic`آخر رقم: ${number_masked}`,
      arabic`معرّف الحظر: ${block_id}`,
      arabic`الوقت: ${at} بتوقيت الرياض`,
      'المكالمات الجارية مستمرة، وأرقام الطوارئ متاحة دائمًا. إن لم تعرف من أجرى هذه المكالمات فغيّر كلمة مرور تطبيق الهاتف أو مفتاح API، ثم ارفع الحظر.',
      '',
      agent === null
        ? `The outside calls of the whole project ${project} are blocked until the block is released.`
        : `The outside calls of the agent ${agent} in the project ${project} are blocked until the block is released.`,
      `Limit that was reached: ${reason.en}`,
      `Last number: ${number_masked}`,
      `ID of the block: ${block_id}`,
      `Time: ${at} in Riyadh`,
      'Live calls continue, and emergency numbers can always be called. If you do not know who placed these calls, renew the softphone’s password or the API key, then release the block.',
      '',
    ].join('\n'),
  };
}

/** To the minute, in Riyadh. */
function shownTime(iso: string): string {
  return riyadhTime(new Date(iso)).replace('T', ' ').slice(0, 16);
}
