import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { checkChoices, choiceFields, choiceLinks, questionPrompts } from '../parts/question.js';

/** A menu whose choice is reported to the customer's systems. */
export const authMenu = defineNode({
  schema: z.strictObject({ type: z.literal('auth_menu'), ...choiceFields }),
  asksCaller: true,
  resultVariables: ['choice'],
  links: choiceLinks,
  prompts: questionPrompts,
  check: checkChoices,
});
