import { z } from 'zod';
import { CHANNELS } from '../messaging/channels.js';
import { BROADCAST_PROBLEMS, BROADCAST_STATUSES, RECIPIENT_STATUSES, SKIP_REASONS } from '../broadcasts/broadcast.js';
import type { PersonField } from '../broadcasts/variables.js';
import { FAILURE_REASONS } from '../messaging/failure.js';
import { MESSAGE_CLASSES } from '../messaging/message.js';
import { metadataSchema } from '../metadata.js';
import { idOutput, timeOutput } from './fields.js';

/** How many recipients there are of each outcome. */
export const broadcastCounts = z
  .strictObject({
    total: z.int().min(0),
    waiting: z.int().min(0).describe('Those whose message is not accepted yet'),
    queued: z.int().min(0).describe('Accepted, without the answer of the provider'),
    sent: z.int().min(0).describe('The provider has it, and it did not fail since then'),
    delivered: z.int().min(0).describe('Of those that are sent'),
    read: z.int().min(0).describe('Of those that are delivered'),
    failed: z.int().min(0),
    skipped: z.int().min(0).describe('Those who get no message'),
    cancelled: z.int().min(0),
  })
  .describe('`waiting`, `queued`, `sent`, `failed`, `skipped` and `cancelled` make up `total`')
  .meta({ id: 'BroadcastCounts' });

const shape = {
  id: idOutput,
  name: z.string(),
  channel: z.enum(CHANNELS),
  status: z.enum(BROADCAST_STATUSES),
  problem: z
    .enum(BROADCAST_PROBLEMS)
    .nullable()
    .describe('Why the platform paused it, or cancelled it (`group_deleted`); otherwise null'),
  from: z.string().nullable(),
  class: z.enum(MESSAGE_CLASSES),
  source: z.enum(['group', 'file']).describe('Where the recipients come from'),
  group_id: idOutput.nullable(),
  file_name: z.string().nullable(),
  scheduled_at: timeOutput.nullable(),
  local_time: z
    .string()
    .nullable()
    .describe('When it is sent, by the clock of each recipient')
    .meta({ examples: ['2026-12-01T10:00'] }),
  rate_per_minute: z.int().nullable(),
  metadata: metadataSchema,
  sandbox: z.boolean(),
  created_at: timeOutput,
  started_at: timeOutput.nullable(),
  finished_at: timeOutput.nullable(),
};

/** A broadcast in an event. */
export const eventedBroadcast = z.strictObject({ ...shape, counts: broadcastCounts });

const variableOutput = z.strictObject({
  value: z.string().optional(),
  field: z
    .string()
    .meta({ examples: ['name', 'custom.city'] satisfies (PersonField | `custom.${string}`)[] })
    .optional(),
  default: z.string().nullable().optional(),
});

const variant = z.strictObject({
  key: z.string().meta({ examples: ['A'] }),
  template: z.strictObject({ name: z.string(), language: z.string() }),
  variables: z.array(variableOutput),
  weight: z.int(),
});

const tracked = { track_links: z.boolean().describe('Whether clicks on its links are counted') };

/** A broadcast as lists show it. */
export const broadcastObject = z
  .strictObject({ ...shape, ...tracked, variants: z.array(variant) })
  .meta({ id: 'Broadcast' });

/** A broadcast with how far it is. */
export const broadcastWithProgress = z
  .strictObject({
    ...shape,
    ...tracked,
    variants: z.array(
      variant.extend({ counts: broadcastCounts.omit({ waiting: true, skipped: true, cancelled: true }) }),
    ),
    counts: broadcastCounts,
    failures: z
      .array(z.strictObject({ reason: z.enum(FAILURE_REASONS), count: z.int() }))
      .describe('How many failed, by reason'),
    skips: z.array(z.strictObject({ reason: z.enum(SKIP_REASONS), count: z.int() })).describe('How many were skipped'),
  })
  .meta({ id: 'BroadcastWithProgress' });

export const broadcastRecipient = z
  .strictObject({
    number: z.int().describe('The place of the recipient; of a file, the line'),
    to: z.string().nullable().describe('Null if there is no address, or it is not valid'),
    contact_id: idOutput.nullable(),
    variant: z.string().nullable(),
    status: z.enum(RECIPIENT_STATUSES),
    skip_reason: z.enum(SKIP_REASONS).nullable(),
    error: z
      .strictObject({ reason: z.enum(FAILURE_REASONS), provider_code: z.string().nullable() })
      .nullable()
      .describe('Why the message failed'),
    attempts: z.int().describe('How many messages were accepted: a retry adds one'),
    message_id: idOutput.nullable(),
    due_at: timeOutput.nullable().describe('When it is sent at the earliest, while it waits'),
  })
  .meta({ id: 'BroadcastRecipient' });

export type BroadcastCounts = z.output<typeof broadcastCounts>;
export type EventedBroadcast = z.output<typeof eventedBroadcast>;
export type BroadcastObject = z.output<typeof broadcastObject>;
export type BroadcastWithProgress = z.output<typeof broadcastWithProgress>;
export type BroadcastRecipient = z.output<typeof broadcastRecipient>;
