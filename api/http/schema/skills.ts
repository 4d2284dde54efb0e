import { SKILL_NAME_FAULT, skillsSchema, TOO_MANY_SKILLS } from '../../../core/model/queue/skills.js';
import { bilingual } from './bilingual.js';

bilingual(
  SKILL_NAME_FAULT,
  'يجب أن يتكوّن من 1 إلى 32 حرفًا لاتينيًّا صغيرًا أو رقمًا أو شرطة (`-`) أو شرطة سفلية (`_`)، وأن يبدأ بحرف أو رقم',
);
bilingual(TOO_MANY_SKILLS, 'يجب ألا يزيد عدد المهارات على 20');

/** Levels from 1 to 9 by name of the skill. */
export const skills = skillsSchema.meta({ examples: [{ arabic: 9, billing: 5 }] });
