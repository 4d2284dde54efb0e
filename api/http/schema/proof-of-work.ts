import { z } from 'zod';

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const shared = {
  algorithm: z.literal('SHA-256'),
  challenge: hex,
  salt: z.string().max(256),
  signature: hex,
};

export const CHALLENGE_FORMAT = 'In the ALTCHA format; ALTCHA clients can solve it';
/** Members of a challenge. */
export const challengeFields = { ...shared, maxnumber: z.int() };
/** Members of a solved challenge. */
export const proofFields = { ...shared, number: z.int().min(0).max(Number.MAX_SAFE_INTEGER) };
