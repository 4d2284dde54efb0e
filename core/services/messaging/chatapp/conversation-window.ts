import type { Messages } from '../../../data/repositories/messaging/messages.js';
import { HatifError } from '../../../model/errors/index.js';
import type { AdmissionCheck } from '../gate.js';

const WINDOW_MS = 24 * 3_600_000;

/**
 * Chat applications allow anything but templates only within 24 hours after the person wrote. Later the provider would
 * refuse the message; the sandbox has no provider.
 */
export function conversationWindowCheck(messages: Pick<Messages, 'lastInboundAt'>): AdmissionCheck {
  return {
    rule: 'conversation_window',
    source: 'platform',
    concerns: ({ channel, sandbox, isTemplate }) => channel === 'chatapp' && !sandbox && !isTemplate,
    check: async ({ channel, sandbox, projectId, to, at }) => {
      const last = await messages.lastInboundAt({ projectId, sandbox }, channel, to);
      if (last !== null && last.getTime() + WINDOW_MS > at.getTime()) return;
      throw new HatifError('CHANNEL_VERB_UNSUPPORTED', { channel, action: OUTSIDE });
    },
  };
}

const OUTSIDE = {
  en: 'anything but templates to a person who has not written within 24 hours',
  ar: 'إرسال غير القوالب إلى شخص لم يكتب خلال 24 ساعة',
};
