import { z } from 'zod';
import { link, template, variableName } from '../parts.js';

export const BRANCH_OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'starts_with',
  'ends_with',
  'greater_than',
  'less_than',
  'in',
  'is_set',
  'is_empty',
] as const;

const value = z.union([z.string().max(255), z.number(), z.boolean()]);

const branchCase = z.strictObject({
  variable: variableName,
  operator: z.enum(BRANCH_OPERATORS),
  value: z.union([value, z.array(value).min(1).max(100)]).optional(),
  next: link.optional(),
});
export type BranchCase = z.output<typeof branchCase>;

/** The first case that holds decides. */
export const branchNode = z.strictObject({
  type: z.literal('branch'),
  cases: z.array(branchCase).min(1).max(50),
  next: link.optional().describe('Where no case holds'),
});

export const setNode = z.strictObject({
  type: z.literal('set'),
  values: z.record(variableName, z.union([template, z.literal(''), z.number(), z.boolean()])),
  next: link.optional(),
});

/** To another node, or into another flow for good. */
export const gotoNode = z.strictObject({
  type: z.literal('goto'),
  next: link.optional(),
  callflow_id: z.string().min(1).max(64).optional(),
});

/** Another flow, and back. */
export const subflowNode = z.strictObject({
  type: z.literal('subflow'),
  callflow_id: z.string().min(1).max(64),
  next: link.optional(),
});
