import { ADMINISTRATION_ERRORS } from './administration.js';
import { BILLING_ERRORS } from './billing.js';
import { CALL_ERRORS } from './calls.js';
import { CONFERENCE_ERRORS } from './conferences.js';
import { CONTACT_ERRORS } from './contacts.js';
import { CREDENTIAL_ERRORS } from './accounts/credentials.js';
import { GENERAL_ERRORS } from './general.js';
import { INVITATION_ERRORS } from './accounts/invitations.js';
import { KEY_ERRORS } from './accounts/keys.js';
import { MEMBER_ERRORS } from './accounts/members.js';
import { MESSAGING_ERRORS } from './messaging.js';
import { NATIONAL_ID_ERRORS } from './accounts/national-id.js';
import { NUMBER_ERRORS } from './numbers.js';
import { OPERATION_ERRORS } from './operations.js';
import { OTP_ERRORS } from './otp.js';
import { PRIVACY_ERRORS } from './accounts/privacy.js';
import { PRODUCTION_ACCESS_ERRORS } from './accounts/production-access.js';
import { PROJECT_ERRORS } from './accounts/projects.js';
import { RECORDING_ERRORS } from './recordings.js';
import { RESERVED_ERRORS } from './reserved/index.js';
import type { ErrorFamily, ErrorRow } from './row.js';
import { SANDBOX_ERRORS } from './sandbox.js';
import { SESSION_ERRORS } from './accounts/sessions.js';
import { SIGNUP_ERRORS } from './accounts/signup.js';
import { SINGLE_SIGN_ON_ERRORS } from './accounts/single-sign-on.js';
import { VERIFY_ERRORS } from './verify.js';
import { VOICE_AUTH_ERRORS } from './voice-auth.js';
import { VOICEMAIL_ERRORS } from './voicemail.js';
import { WEBHOOK_ERRORS } from './webhooks.js';
import { WEB_CALLING_ERRORS } from './web-calling.js';
import { WIDGET_ERRORS } from './widget.js';

/** Every code with its HTTP status and its texts in both languages, reserved codes last. */
export const ERROR_CATALOGUE = {
  ...KEY_ERRORS,
  ...SIGNUP_ERRORS,
  ...SESSION_ERRORS,
  ...SINGLE_SIGN_ON_ERRORS,
  ...PROJECT_ERRORS,
  ...MEMBER_ERRORS,
  ...INVITATION_ERRORS,
  ...PRODUCTION_ACCESS_ERRORS,
  ...PRIVACY_ERRORS,
  ...GENERAL_ERRORS,
  ...CREDENTIAL_ERRORS,
  ...SANDBOX_ERRORS,
  ...OTP_ERRORS,
  ...CALL_ERRORS,
  ...CONFERENCE_ERRORS,
  ...RECORDING_ERRORS,
  ...VOICE_AUTH_ERRORS,
  ...VERIFY_ERRORS,
  ...VOICEMAIL_ERRORS,
  ...OPERATION_ERRORS,
  ...MESSAGING_ERRORS,
  ...CONTACT_ERRORS,
  ...WIDGET_ERRORS,
  ...WEBHOOK_ERRORS,
  ...ADMINISTRATION_ERRORS,
  ...NUMBER_ERRORS,
  ...BILLING_ERRORS,
  ...NATIONAL_ID_ERRORS,
  ...WEB_CALLING_ERRORS,
  ...RESERVED_ERRORS,
} as const satisfies ErrorFamily;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Every code, in the order of the catalogue. */
export const ERROR_CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

/** Codes of features that are not built yet: no route of this release returns them. */
export const RESERVED_CODES = Object.keys(RESERVED_ERRORS) as (keyof typeof RESERVED_ERRORS)[];

/** Whether the code belongs to a feature that is not built yet. */
export function isReserved(code: ErrorCode): boolean {
  return Object.hasOwn(RESERVED_ERRORS, code);
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CATALOGUE, text);
}

/** The row of a code, for pages and documents that list codes generically. */
export function errorRow(code: ErrorCode): ErrorRow {
  return ERROR_CATALOGUE[code];
}

type SlotsIn<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}`
  ? NameIn<Slot> | SlotsIn<Rest>
  : never;
type NameIn<Slot extends string> = Slot extends `${infer Name}:${string}` ? Name : Slot;

/** The slot names of a code's message; `never` for a message without any. */
export type SlotName<C extends ErrorCode> = SlotsIn<(typeof ERROR_CATALOGUE)[C]['message']>;
