import { eventedChat } from '../objects/chat.js';
import { defineEvent } from './definition.js';

const WAITING = {
  thread_id: '01934f7a-6f70-7182-9d34-2e1f0a9b8c74',
  with: '01934f7a-6a10-7c21-8e45-3f2a1b0c9d8e',
  agent: null,
  status: 'waiting',
  widget_id: '01934f7a-2b4c-7d5e-8f60-718293a4b5c6',
  queue_id: '01934f7a-3b5c-7d21-9e48-1f2a3b4c5d6e',
  visitor_name: 'ريم',
  language: 'ar',
  waiting_since: '2026-01-31T06:00:00.000Z',
  offered_until: null,
  assigned_at: null,
  closed_at: null,
  sandbox: false,
} as const;
const OFFERED = { ...WAITING, status: 'offered', agent: '1001', offered_until: '2026-01-31T06:00:45.900Z' } as const;
const ASSIGNED = {
  ...OFFERED,
  ...{ status: 'assigned', offered_until: null, assigned_at: '2026-01-31T06:00:09.300Z' },
} as const;

const own = eventedChat.shape;

/** Events of chats with visitors of web pages. Their messages have `message.*` events. */
export const CHAT_EVENTS = {
  'chat.waiting': defineEvent({
    subject: 'project',
    summary: 'A visitor of a web page wrote, and nobody answers yet; or a chat waits for another agent.',
    summaryAr: 'كتب زائر صفحة ويب ولم يرد عليه أحد بعد، أو تنتظر محادثة موظفًا آخر.',
    own,
    example: WAITING,
  }),
  'chat.offered': defineEvent({
    subject: 'project',
    summary: 'A chat was offered to an agent, who can accept it until `offered_until`.',
    summaryAr: 'عُرضت محادثة على موظف، وله أن يقبلها حتى `offered_until`.',
    own,
    example: OFFERED,
  }),
  'chat.assigned': defineEvent({
    subject: 'project',
    summary: 'An agent has a chat now.',
    summaryAr: 'صارت محادثة لدى موظف.',
    own,
    example: ASSIGNED,
  }),
  'chat.closed': defineEvent({
    subject: 'project',
    summary: 'A chat was closed: by an agent, by the visitor, or after a day of silence.',
    summaryAr: 'أُغلقت محادثة: أغلقها موظف أو الزائر، أو مرّ يوم بلا رسائل.',
    own,
    example: { ...ASSIGNED, status: 'closed', closed_at: '2026-01-31T06:12:00.000Z' },
  }),
};
