import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { checkChoices, choiceFields, choiceLinks, questionPrompts } from '../parts/question.js';

export const menu = defineNode({
  schema: z.strictObject({ type: z.literal('menu'), ...choiceFields }),
  asksCaller: true,
  resultVariables: ['choice'],
  links: choiceLinks,
  prompts: questionPrompts,
  check: checkChoices,
});
