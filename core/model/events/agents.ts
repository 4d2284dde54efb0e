import { z } from 'zod';
import { timeOutput } from '../objects/fields.js';
import { forwardingObject } from '../objects/forwarding.js';
import { defineEvent } from './definition.js';

/** Events of agents, whatever queues they serve. */
export const AGENT_EVENTS = {
  'agent.forwarding_changed': defineEvent({
    subject: 'project',
    summary: 'The forwarding of an agent’s calls, or do-not-disturb, changed. Numbers are masked.',
    summaryAr: 'تغيّرت إعادة توجيه مكالمات موظف أو حالة عدم الإزعاج لديه. تظهر الأرقام دون خاناتها الوسطى.',
    own: forwardingObject.shape,
    example: {
      agent: '1001',
      do_not_disturb: false,
      always: null,
      busy: { type: 'agent', target: '1002' },
      no_answer: { type: 'number', target: '+96650••••17' },
      no_answer_seconds: 20,
      unregistered: { type: 'voicemail', target: null },
    },
  }),
  'agent.locked_out': defineEvent({
    subject: 'project',
    summary:
      'Somebody guessed the SIP password of an agent too often. Until then only addresses where a phone of the agent is registered can use it.',
    summaryAr:
      'جرت محاولات كثيرة لتخمين كلمة مرور SIP لأحد الموظفين. حتى ذلك الوقت لا تقبلها المنصة إلا من عناوين سُجّل منها هاتف للموظف.',
    own: { agent: z.string(), locked_until: timeOutput },
    example: { agent: '1001', locked_until: '2026-11-26T09:15:00.000Z' },
  }),
};
