import { z } from 'zod';
import { CONSENT_CHANNELS, CONSENT_CLASSES, CONSENT_SOURCES } from '../contacts/consent.js';
import { idOutput, timeOutput } from '../objects/fields.js';
import { defineEvent } from './definition.js';

/** Events of the people that a project writes to. */
export const CONTACT_EVENTS = {
  'contact.opted_out': defineEvent({
    subject: 'project',
    summary:
      'A person no longer wants some messages: the person said so, or a client recorded it. Imports and repeats cause none.',
    summaryAr:
      'لم يعد شخص يريد بعض الرسائل: طلب ذلك بنفسه أو سجّله أحد العملاء. ولا يقع هذا الحدث عند الاستيراد أو التكرار.',
    own: {
      contact_id: idOutput.nullable().describe('Null if no contact has the number or address'),
      address: z.string().describe('The full number (E.164) or e-mail address'),
      channels: z.array(z.enum(CONSENT_CHANNELS)),
      classes: z.array(z.enum(CONSENT_CLASSES)),
      source: z.enum(CONSENT_SOURCES).describe('`keyword` and `link`: the person said so to the platform'),
      opted_out_at: timeOutput,
    },
    example: {
      contact_id: '01934f7a-3b5c-7d21-9e48-1f2a3b4c5d6e',
      address: '+966501234567',
      channels: ['sms'],
      classes: ['promotional', 'awareness', 'personal'],
      source: 'keyword',
      opted_out_at: '2026-01-31T06:00:00.000Z',
    },
  }),
};
