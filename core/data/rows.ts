/**
 * The rows as they stand in the tables: one interface a table, the columns' own names, plain values. Points in time are Dates
 * with milliseconds; null is SQL's null. `object` is jsonb whose shape belongs to the service that writes it.
 */
export type * from './rows/accounts.js';
export type * from './rows/callflows.js';
export type * from './rows/billing.js';
export type * from './rows/calls.js';
export type * from './rows/conferences.js';
export type * from './rows/engines.js';
export type * from './rows/numbers.js';
export type * from './rows/payments.js';
export type * from './rows/queues.js';
export type * from './rows/recordings.js';
export type * from './rows/requests.js';
export type * from './rows/transcripts.js';
export type * from './rows/transfers.js';
export type * from './rows/verification.js';
export type * from './rows/voicemail.js';
export type * from './rows/webhooks.js';
export type * from './rows/widgets.js';
