import { z } from 'zod';
import { PERMISSIONS, ROLES } from '../access/roles.js';
import { idOutput, timeOutput } from './fields.js';

/** The organization of a signed-in user. */
export const organizationOfUser = z.strictObject({
  id: idOutput,
  name: z.string(),
  tier: z.enum(['sandbox', 'production']),
  second_factor_required: z.boolean(),
});

/** The signed-in user, as the user sees it. */
export const profileObject = z
  .strictObject({
    id: idOutput,
    email: z.string(),
    email_confirmed: z.boolean(),
    pending_email: z.string().nullable().describe('The new address, until its owner confirms it'),
    name: z.string(),
    locale: z.enum(['ar', 'en']),
    phone: z.string().nullable().describe('Confirmed; E.164'),
    pending_phone: z.string().nullable().describe('The new number, until its code is entered'),
    organization: organizationOfUser,
    role: z.enum(ROLES),
    permissions: z.array(z.enum(PERMISSIONS)),
    project_ids: z.array(idOutput).nullable().describe('Null: all of the organization'),
    agent: z.string().nullable().describe('The extension that the user answers calls at'),
    has_password: z.boolean().describe('False for a user of single sign-on'),
    second_factor: z.strictObject({
      totp: z.boolean(),
      passkeys: z.int(),
      recovery_codes_left: z.int(),
    }),
    session: z.strictObject({
      id: idOutput,
      confirmed_at: timeOutput.nullable().describe('When the user last proved who it is in this session'),
      second_factor: z.boolean().describe('Whether a second factor or a passkey was given in this session'),
      impersonated: z.boolean().describe('An administrator acts as the user; the session only reads'),
    }),
    created_at: timeOutput,
  })
  .meta({ id: 'Profile' });

export type ProfileObject = z.output<typeof profileObject>;
