import { z } from 'zod';

/** Levels by name, from 1 (lowest) to 9: what an agent can do, or the least that a caller needs. */
export type Skills = Readonly<Record<string, number>>;

export const NO_SKILLS: Skills = Object.freeze({});

export const MAX_SKILLS = 20;
export const SKILL_NAME_FAULT =
  'must be 1 to 32 small letters, digits, dashes or underscores, and begin with a letter or digit';
export const TOO_MANY_SKILLS = `must name at most ${MAX_SKILLS} skills`;

export const skillsSchema = z
  .record(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, SKILL_NAME_FAULT), z.int().min(1).max(9))
  .refine((skills) => Object.keys(skills).length <= MAX_SKILLS, { message: TOO_MANY_SKILLS });

/** Whether an agent has every required skill, at the required level or above. */
export function hasSkills(skills: Skills, required: Skills): boolean {
  return Object.entries(required).every(([name, level]) => levelOf(skills, name) >= level);
}

/** Both requirements in one: of a skill that both name, the higher level. */
export function bothRequired(one: Skills, other: Skills): Skills {
  if (isEmpty(other)) return one;
  if (isEmpty(one)) return other;
  const names = [...Object.keys(one), ...Object.keys(other)];
  return Object.fromEntries(names.map((name) => [name, Math.max(levelOf(one, name), levelOf(other, name))]));
}

export function isEmpty(skills: Skills): boolean {
  return Object.keys(skills).length === 0;
}

/** 0 without the skill. A name such as `constructor` is a skill like any other. */
function levelOf(skills: Skills, name: string): number {
  return Object.hasOwn(skills, name) ? (skills[name] ?? 0) : 0;
}
