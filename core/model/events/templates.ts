import { z } from 'zod';
import { idOutput, timeOutput } from '../objects/fields.js';
import { CHANNELS } from '../messaging/channels.js';
import { TEMPLATE_CATEGORIES, TEMPLATE_STATUSES } from '../messaging/template.js';
import { defineEvent } from './definition.js';

export const TEMPLATE_EVENTS = {
  'template.updated': defineEvent({
    subject: 'project',
    summary: 'The content of a message template was replaced, or its approval was decided.',
    summaryAr: 'استُبدل محتوى قالب رسائل، أو صدر قرار اعتماده.',
    own: {
      id: idOutput,
      channel: z.enum(CHANNELS),
      name: z.string(),
      language: z.string(),
      category: z.enum(TEMPLATE_CATEGORIES),
      status: z.enum(TEMPLATE_STATUSES),
      rejection_reason: z.string().nullable(),
      sandbox: z.boolean(),
      updated_at: timeOutput,
    },
    example: {
      id: '01934f79-5e6f-7071-8c23-1d0e9f8a7b62',
      channel: 'sms',
      name: 'order_shipped',
      language: 'ar',
      category: 'UTILITY',
      status: 'approved',
      rejection_reason: null,
      sandbox: false,
      updated_at: '2026-01-31T06:00:02.000Z',
    },
  }),
};
