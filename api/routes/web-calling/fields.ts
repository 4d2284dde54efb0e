import { z } from 'zod';
import type { WebSessionRow } from '../../../core/data/rows.js';
import { METADATA_MAX_KEYS, metadataSchema } from '../../../core/model/metadata.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import {
  IDENTITY,
  iceServer,
  NUMBER_PATTERN,
  WEB_SESSION_STATUSES,
  WEB_TARGETS,
  webSessionStatus,
} from '../../../core/model/web-calling.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { extension } from '../../http/schema/extension.js';
import { phoneNumber } from '../../http/schema/schemas.js';

const MOST_PATTERNS = 100;
const SHORTEST_TTL = 60;
const LONGEST_TTL = 86_400;
const USUAL_TTL = 3_600;

const identity = z
  .string()
  .regex(
    IDENTITY,
    bilingual(
      'must be 1 to 64 letters, digits, dots, dashes, tildes or underscores',
      'يجب أن تتكوّن من 1 إلى 64 حرفًا لاتينيًّا أو رقمًا أو نقطة أو شرطة (`-`) أو `~` أو شرطة سفلية (`_`)',
    ),
  );

const pattern = z
  .string()
  .regex(
    NUMBER_PATTERN,
    bilingual(
      'must be a number in E.164, or its beginning with *: +9665*',
      'يجب أن يكون رقمًا بصيغة E.164 أو بدايته متبوعة بعلامة `*`، مثل `+9665*`',
    ),
  );

const display = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(
    /^[^\p{Cc}"<>\\]*$/u,
    bilingual('must not contain quotes, brackets or control characters', 'يجب ألا يحتوي علامات اقتباس أو أقواسًا زاوية'),
  );

export const ttl = z.int().min(SHORTEST_TTL).max(LONGEST_TTL);

const allowed = z.strictObject({
  incoming: z.boolean().default(false).describe('Whether calls ring the browser'),
  outgoing: z
    .array(z.enum(WEB_TARGETS))
    .max(WEB_TARGETS.length)
    .default([])
    .describe('What the browser may call; nothing by default. Emergency numbers are always allowed'),
  numbers: z
    .array(pattern)
    .max(MOST_PATTERNS)
    .nullable()
    .default(null)
    .describe('The outside numbers that it may call, if `outgoing` has `number`; null: any'),
  caller_id_number: phoneNumber()
    .nullable()
    .default(null)
    .describe('The number that its calls show; null: that of the agent, otherwise the project’s main number'),
});

export const newSession = z.strictObject({
  identity: identity.describe('Who calls: a name of yours. Calls to `sip:<identity>@web` ring the browsers with it'),
  agent: extension.nullable().default(null).describe('The agent whose calls the browser makes and gets'),
  display_name: display.nullable().default(null).describe('Shown to those who are called; defaults to the identity'),
  allow: allowed.default({ incoming: false, outgoing: [], numbers: null, caller_id_number: null }),
  ttl_seconds: ttl.default(USUAL_TTL),
  require_relay: z.boolean().default(false).describe('Whether the browser gets TURN servers or an error'),
  metadata: metadataSchema
    .default({})
    .describe(`At most ${METADATA_MAX_KEYS} keys; the calls that the browser starts carry it`),
});

export const session = z
  .strictObject({
    session_id: idOutput,
    status: z.enum(WEB_SESSION_STATUSES),
    identity: z.string(),
    agent: z.string().nullable(),
    display_name: z.string(),
    allow: z.strictObject({
      incoming: z.boolean(),
      outgoing: z.array(z.enum(WEB_TARGETS)),
      numbers: z.array(z.string()).nullable(),
      caller_id_number: z.string().nullable(),
    }),
    require_relay: z.boolean(),
    metadata: z.record(z.string(), z.string()),
    sandbox: z.boolean(),
    created_at: timeOutput,
    connected_at: timeOutput.nullable().describe('When a browser first used a token'),
    expires_at: timeOutput,
    ended_at: timeOutput.nullable(),
  })
  .meta({ id: 'WebCallingSession' });

export const sessionWithToken = session
  .extend({
    token: z.string().nullable().describe('For one browser, once; shown only in this answer'),
    ws_url: z.string().describe('Where the browser speaks SIP over WebSocket'),
    ice_servers: z.array(iceServer),
  })
  .meta({ id: 'WebCallingSessionWithToken' });

export const connection = z
  .strictObject({
    sip: z.strictObject({ uri: z.string(), username: z.string(), password: z.string() }),
    ws_url: z.string(),
    ice_servers: z.array(iceServer),
    identity: z.string(),
    display_name: z.string(),
    expires_at: timeOutput,
  })
  .meta({ id: 'WebCallingConnection' });

export function present(row: WebSessionRow, now: Date): z.output<typeof session> {
  const { rights } = row;
  return {
    session_id: row.id,
    status: webSessionStatus(row, now),
    identity: row.identity,
    agent: row.agent,
    display_name: row.display_name,
    allow: {
      ...{ incoming: rights.incoming, outgoing: [...rights.outgoing] },
      ...{ numbers: rights.numbers && [...rights.numbers], caller_id_number: rights.caller_id_number },
    },
    require_relay: row.require_relay,
    metadata: { ...row.metadata },
    sandbox: row.sandbox,
    created_at: isoTime(row.created_at),
    connected_at: isoTime(row.connected_at),
    expires_at: isoTime(row.expires_at),
    ended_at: isoTime(row.ended_at),
  };
}
