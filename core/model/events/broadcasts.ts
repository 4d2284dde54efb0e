import { eventedBroadcast } from '../objects/broadcast.js';
import { defineEvent } from './definition.js';

const RUNNING = {
  id: '01934f7a-8c20-7a41-9d0e-51b7c2a4f613',
  name: 'Ramadan offer',
  channel: 'sms',
  status: 'running',
  problem: null,
  from: 'HATIF-AD',
  class: 'promotional',
  source: 'group',
  group_id: '01934f7a-3b5c-7d21-9e48-1f2a3b4c5d6e',
  file_name: null,
  scheduled_at: null,
  local_time: null,
  rate_per_minute: 1200,
  metadata: { campaign: 'ramadan' },
  sandbox: false,
  created_at: '2026-01-31T05:50:00.000Z',
  started_at: '2026-01-31T06:00:00.000Z',
  finished_at: null,
  counts: {
    ...{ total: 1000, waiting: 400, queued: 20, sent: 550, delivered: 500, read: 0, failed: 10, skipped: 20 },
    cancelled: 0,
  },
} as const;
const BEGUN = {
  ...RUNNING,
  counts: { ...RUNNING.counts, waiting: 1000, queued: 0, sent: 0, delivered: 0, failed: 0, skipped: 0 },
} as const;
const DONE = {
  ...RUNNING,
  ...{ status: 'completed', finished_at: '2026-01-31T06:01:00.000Z' },
  counts: { ...RUNNING.counts, waiting: 0, queued: 0, sent: 960, delivered: 900, failed: 20 },
} as const;

const own = eventedBroadcast.shape;

/** Events of broadcasts. Each message of a broadcast has its own `message.*` events, too. */
export const BROADCAST_EVENTS = {
  'broadcast.started': defineEvent({
    subject: 'project',
    summary: 'A broadcast began to send. Recipients of a group are counted while it runs.',
    summaryAr: 'بدأت حملة الإرسال. ويُحسب مستلمو المجموعة أثناء تنفيذها.',
    own,
    example: BEGUN,
  }),
  'broadcast.progress': defineEvent({
    subject: 'project',
    summary: 'A broadcast made progress: at most every five seconds while its numbers change.',
    summaryAr: 'تقدّمت حملة: مرة كل خمس ثوانٍ على الأكثر ما دامت أعدادها تتغير.',
    own,
    example: RUNNING,
  }),
  'broadcast.paused': defineEvent({
    subject: 'project',
    summary: 'A broadcast was paused: by a client, or by the platform, which says why in `problem`.',
    summaryAr: 'أُوقفت حملة مؤقتًا: أوقفها عميل، أو أوقفتها المنصة وذكرت السبب في `problem`.',
    own,
    example: { ...RUNNING, status: 'paused', problem: 'insufficient_credits' },
  }),
  'broadcast.resumed': defineEvent({
    subject: 'project',
    summary: 'A broadcast continues after a pause, or because a client retries what failed.',
    summaryAr: 'استُؤنفت حملة بعد إيقافها مؤقتًا، أو لأن عميلًا أعاد إرسال ما تعذّر.',
    own,
    example: RUNNING,
  }),
  'broadcast.completed': defineEvent({
    subject: 'project',
    summary: 'Every recipient of a broadcast has an outcome: sent, failed or skipped.',
    summaryAr: 'صار لكل مستلم في الحملة نتيجة: أُرسلت رسالته أو تعذّرت أو تُجوّز.',
    own,
    example: DONE,
  }),
  'broadcast.cancelled': defineEvent({
    subject: 'project',
    summary: 'A broadcast was cancelled.',
    summaryAr: 'أُلغيت حملة.',
    own,
    example: {
      ...DONE,
      status: 'cancelled',
      counts: { ...DONE.counts, sent: 560, delivered: 500, cancelled: 400 },
    },
  }),
};
