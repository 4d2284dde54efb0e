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
};
