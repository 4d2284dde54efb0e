import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { flowLanguage, link, template } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

export const say = defineNode({
  schema: z.strictObject({
    type: z.literal('say'),
    text: template.describe('May contain `{{variables}}`'),
    language: flowLanguage.optional(),
    next: link.optional(),
  }),
  links: ({ next }) => [requiredLink('next', next)],
  prompts: ({ text, language }) => [['text', { text, language }]],
});
