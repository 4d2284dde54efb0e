/**
 * The rows of the tables: one interface per table, with the column names and plain values. Points
 * in time are Dates with milliseconds; null is SQL's null. `object` is jsonb whose shape is defined
 * by the service that writes it.
 */
export type * from './rows/accounts.js';
export type * from './rows/callflows.js';
export type * from './rows/billing.js';
export type * from './rows/calls.js';
export type * from './rows/certificates.js';
export type * from './rows/conferences.js';
export type * from './rows/consents.js';
export type * from './rows/contacts.js';
export type * from './rows/engines.js';
export type * from './rows/invites.js';
export type * from './rows/messaging.js';
export type * from './rows/numbers.js';
export type * from './rows/payments.js';
export type * from './rows/privacy.js';
export type * from './rows/production.js';
export type * from './rows/queues.js';
export type * from './rows/recordings.js';
export type * from './rows/requests.js';
export type * from './rows/scim.js';
export type * from './rows/single-sign-on.js';
export type * from './rows/sip.js';
export type * from './rows/transcripts.js';
export type * from './rows/transfers.js';
export type * from './rows/trunks.js';
export type * from './rows/users.js';
export type * from './rows/verification.js';
export type * from './rows/voicemail.js';
export type * from './rows/web-calling.js';
export type * from './rows/webhooks.js';
export type * from './rows/widgets.js';
