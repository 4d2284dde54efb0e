import { z } from 'zod';
import { flowLanguage, link, template } from '../parts.js';

export const playNode = z.strictObject({
  type: z.literal('play'),
  audio_id: z.string().min(1).max(64).describe('An uploaded audio file'),
  loop: z.int().min(1).max(10).optional(),
  next: link.optional(),
});

export const sayNode = z.strictObject({
  type: z.literal('say'),
  text: template.describe('May hold `{{variables}}`'),
  language: flowLanguage.optional(),
  next: link.optional(),
});
