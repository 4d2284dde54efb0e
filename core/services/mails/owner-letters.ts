import type { OwnerMailData } from '../../data/repositories/mails/owner-mails.js';
import { whyBlocked } from '../../model/fraud/words.js';
import { arabic } from '../../model/wording/wording.js';
import { text } from './blocks.js';
import type { Letters } from './letters.js';
import { shownTime } from './shown-time.js';

type OwnerLetters = {
  [K in keyof OwnerMailData]: (project: string, data: OwnerMailData[K]) => Letters;
};

const REASONS = {
  failing: {
    ar: 'فشل إرسال الأحداث إليها خمسة أيام متتالية',
    en: 'no event could be delivered to it for five days',
  },
  gone: { ar: 'أرجعت الحالة 410، أي أنها لم تعد موجودة', en: 'it answered 410, which means that it is gone' },
} as const;

const LIVE_CALLS = {
  continue: { ar: 'المكالمات الجارية مستمرة', en: 'Live calls continue' },
  end: { ar: 'تُنهى المكالمات الخارجية الجارية', en: 'Live calls to the outside are ended' },
} as const;

/** What mails to the owners of organizations say. */
export const OWNER_LETTERS: OwnerLetters = {
  webhook_disabled: (project, { url, webhook_id, sandbox, reason, disabled_at }) => {
    const at = shownTime(disabled_at);
    return {
      ar: {
        subject: 'عُطّلت إحدى نقاط Webhook',
        blocks: [
          text(arabic`عُطّلت نقطة Webhook في المشروع ${project}، ولن تصل إليها أحداث أخرى.`),
          {
            kind: 'facts',
            facts: [
              ['السبب', REASONS[reason].ar],
              ['العنوان', url],
              ['المعرّف', webhook_id],
              ...(sandbox ? ([['البيئة', 'التجريبية']] as const) : []),
              ['الوقت', at.ar],
            ],
          },
          text('أصلح الخادم الذي يستقبل الأحداث، ثم فعّل النقطة وأعد إرسال ما لم يصل إليها من أحداث.'),
        ],
      },
      en: {
        subject: 'A webhook endpoint was disabled',
        blocks: [
          text(`A webhook endpoint of the project ${project} was disabled and gets no more events.`),
          {
            kind: 'facts',
            facts: [
              ['Reason', REASONS[reason].en],
              ['URL', url],
              ['ID', webhook_id],
              ...(sandbox ? ([['Environment', 'sandbox']] as const) : []),
              ['Time', at.en],
            ],
          },
          text(
            'Repair the server that receives the events, then enable the endpoint and replay the events that it missed.',
          ),
        ],
      },
    };
  },
  fraud_blocked: (project, { block_id, agent, number_masked, blocked_at, ends_calls = false, ...limit }) => {
    const at = shownTime(blocked_at);
    const reason = whyBlocked(limit);
    const live = LIVE_CALLS[ends_calls ? 'end' : 'continue'];
    return {
      ar: {
        subject: 'حُظرت مكالمات خارجية للحماية من الاحتيال',
        blocks: [
          text(
            agent === null
              ? arabic`حُظرت المكالمات الخارجية للمشروع ${project} كله حتى يُرفع الحظر.`
              : arabic`حُظرت المكالمات الخارجية للموظف ${agent} في المشروع ${project} حتى يُرفع الحظر.`,
          ),
          {
            kind: 'facts',
            facts: [
              ['الحد الذي بلغته المكالمات', reason.ar],
              ['آخر رقم', number_masked],
              ['معرّف الحظر', block_id],
              ['الوقت', at.ar],
            ],
          },
          text(
            `${live.ar}، وأرقام الطوارئ متاحة دائمًا. إن لم تعرف من أجرى هذه المكالمات فغيّر كلمة مرور تطبيق الهاتف أو مفتاح API، ثم ارفع الحظر.`,
          ),
        ],
      },
      en: {
        subject: 'Outside calls were blocked against toll fraud',
        blocks: [
          text(
            agent === null
              ? `The outside calls of the whole project ${project} are blocked until the block is released.`
              : `The outside calls of the agent ${agent} in the project ${project} are blocked until the block is released.`,
          ),
          {
            kind: 'facts',
            facts: [
              ['Limit that was reached', reason.en],
              ['Last number', number_masked],
              ['ID of the block', block_id],
              ['Time', at.en],
            ],
          },
          text(
            `${live.en}, and emergency numbers can always be called. If you do not know who placed these calls, renew the softphone’s password or the API key, then release the block.`,
          ),
        ],
      },
    };
  },
};
