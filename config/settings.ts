import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { readIban } from './iban.js';

/**
 * Every setting of the platform: read once at start from the environment, checked as a whole, frozen, and handed on as values.
 * `.env.example` lists the same names; a test holds the two together.
 */

const text = z.string().trim().min(1);
const flag = z.enum(['true', 'false', '1', '0', 'on', 'off']).transform((value) => ['true', '1', 'on'].includes(value));
const port = z.coerce.number().int().min(0).max(65535);
const seconds = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const url = (...protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be a URL beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

const CALL_PRICE = /^(inbound|outbound)(?:\.(inbound|outbound|callback|web))?=(\d{1,6}(?:\.\d{1,6})?)$/;

/** What a minute costs; without a kind for all kinds of the direction. */
export interface CallPriceSetting {
  readonly direction: 'inbound' | 'outbound';
  readonly kind: 'inbound' | 'outbound' | 'callback' | 'web' | null;
  readonly sar: string;
}

const callPrice = z.string().transform((given, ctx): CallPriceSetting => {
  const [, direction, kind = null, sar] = CALL_PRICE.exec(given) ?? [];
  if (direction !== undefined && sar !== undefined) return { direction, kind, sar } as CallPriceSetting;
  ctx.addIssue({ code: 'custom', message: `must be such as outbound=0.12 or outbound.callback=0.15, not ${given}` });
  return z.NEVER;
});

function areDifferent(prices: readonly CallPriceSetting[]): boolean {
  return new Set(prices.map(({ direction, kind }) => `${direction}.${String(kind)}`)).size === prices.length;
}

/** Scheme and host, `*.` for all subdomains, and a port. */
const ORIGIN = /^https?:\/\/(\*\.)?[a-z0-9.-]+(:\d{1,5})?$/;

/** Numbers from one to another, both included. */
export interface NumberRangeSetting {
  readonly from: string;
  readonly to: string;
}

const numberRange = z.string().transform((given, ctx): NumberRangeSetting => {
  const [, from = '', to = from] = /^(\+[1-9]\d{6,14})(?:-(\+[1-9]\d{6,14}))?$/.exec(given) ?? [];
  if (from !== '' && from.length === to.length && from <= to) return { from, to };
  ctx.addIssue({ code: 'custom', message: `must be such as +966115551000-+966115551999, not ${given}` });
  return z.NEVER;
});

/** A longer one is imported instead. */
const MOST_IN_RANGES = 100_000;

function isSearchable(ranges: readonly NumberRangeSetting[]): boolean {
  const count = ranges.reduce((sum, { from, to }) => sum + Number(BigInt(to) - BigInt(from)) + 1, 0);
  return count <= MOST_IN_RANGES;
}

const ibanSetting = z.string().transform((given, ctx): string => {
  const iban = readIban(given);
  if (iban !== null) return iban;
  ctx.addIssue({ code: 'custom', message: 'is no IBAN: its checksum or length is wrong' });
  return z.NEVER;
});

/** As Standard Webhooks writes secrets: `whsec_` and the base64 of 24 bytes or more. */
function isWebhookSecret(secret: string): boolean {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/.exec(secret) ?? [];
  return encoded !== undefined && Buffer.from(encoded, 'base64').toString('base64') === encoded;
}

export const ROLES = ['api', 'engine', 'sip', 'jobs'] as const;
export type Role = (typeof ROLES)[number];

export const CODECS = ['alaw', 'ulaw', 'opus', 'g722'] as const;

const schema = z.object({
  /** Which parts of the platform this process runs. */
  HATIF_ROLES: list.pipe(z.array(z.enum(ROLES)).min(1)).default([...ROLES]),
  /** Where the embedded parts, recordings, speech and the bootstrap file are kept. */
  HATIF_DATA_DIR: text.default('.hatif').transform((path) => resolve(path)),
  /** Where downloads of embedded parts are kept; below the data folder when unset. */
  HATIF_CACHE_DIR: text.transform((path) => resolve(path)).optional(),
  /** The installation's one secret; made and kept in the data folder when unset. Processes that share a database share it. */
  HATIF_SECRET: z.string().min(32).optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  /** Where logs go: `file` is `<data folder>/logs/hatif.log`; the embedded start's default, to keep the terminal readable. */
  LOG_TO: z.enum(['stdout', 'file']).optional(),

  HOST: text.default('127.0.0.1'),
  PORT: port.default(8080),
  /** The address under which clients reach the API, for links in answers. */
  PUBLIC_URL: url('http:', 'https:').optional(),
  /** Serve /metrics on a port of its own instead of the API's. */
  METRICS_PORT: port.optional(),
  /** Proxies in front of the API whose X-Forwarded-For is believed. */
  TRUST_PROXY: list.default([]),
  RATE_LIMIT_SANDBOX_PER_MINUTE: count(1, 1_000_000).default(60),
  RATE_LIMIT_LIVE_PER_MINUTE: count(1, 1_000_000).default(600),
  /** Requests per minute from one address before its key is looked at. */
  RATE_LIMIT_ADDRESS_PER_MINUTE: count(1, 10_000_000).default(3000),
  /** Requests per minute from one address with one click-to-call widget. */
  RATE_LIMIT_WIDGET_PER_MINUTE: count(1, 1_000_000).default(120),
  /** How often widgets ring telephones, and send codes to them, in ten minutes: for one address, and each telephone. */
  WIDGET_CALLS_PER_ADDRESS: count(1, 1_000_000).default(10),
  WIDGET_CALLS_PER_NUMBER: count(1, 1_000_000).default(3),
  /** Origins of web pages that may use API keys (https://console.example.com); the platform's own pages may always. */
  API_ALLOWED_ORIGINS: list
    .pipe(z.array(z.string().regex(ORIGIN, 'must be origins such as https://console.example.com')))
    .default([]),
  /** Calls and callbacks that a project may place, where the feature call_velocity is on. */
  CALL_VELOCITY_PER_MINUTE: count(1, 1_000_000).default(30),
  /** Of these, to one number. */
  CALL_VELOCITY_NUMBER_PER_10_MINUTES: count(1, 1_000_000).default(5),
  WEBHOOK_ALLOW_LOOPBACK: flag.optional(),
  /** Let `play.url` fetch from loopback addresses, over plain http too: for development. */
  PLAY_URL_ALLOW_LOOPBACK: flag.default(false),

  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  DATABASE_POOL_SIZE: count(2, 200).default(10),
  REDIS_URL: url('redis:', 'rediss:').optional(),
  /** `false`: no engine is named here or brought along; those that `hatif engines add` adds are all there are. */
  ASTERISK_ENABLED: flag.default(true),
  ASTERISK_ARI_URL: url('http:', 'https:').optional(),
  ASTERISK_ARI_USER: text.default('hatif'),
  ASTERISK_ARI_PASSWORD: text.optional(),
  /** `host` or `host:port` at which Asterisk takes SIP from the platform and from other engines; the embedded one's own when unset. */
  ASTERISK_SIP_ADDRESS: z
    .string()
    .regex(/^(\[[\da-f:]+\]|[\w.-]+)(:\d{1,5})?$/i, 'must be host or host:port')
    .optional(),
  /** The CEL file of an Asterisk of one's own, where this process can read it. */
  ASTERISK_CEL_FILE: text.transform((path) => resolve(path)).optional(),
  /** A folder that the engine sees at the same path, for prompts and speech; below the data folder when unset. */
  MEDIA_DIR: text.transform((path) => resolve(path)).optional(),

  SIP_BIND: text.default('127.0.0.1'),
  SIP_PORT: port.default(5060),
  /** Address that phones and carriers are told, where it differs from SIP_BIND (NAT). */
  SIP_EXTERNAL_ADDRESS: text.optional(),
  SIP_LOCAL_NETWORKS: list.default([]),
  SIP_TLS_CERT: text.optional(),
  SIP_TLS_KEY: text.optional(),
  SIP_TLS_PORT: port.default(5061),
  RTP_PORT_FROM: port.default(10000),
  RTP_PORT_TO: port.default(19999),
  CODECS: list.pipe(z.array(z.enum(CODECS)).min(1)).default([...CODECS]),
  /** How long a call lasts without being refreshed, and the least that the other side may ask for (RFC 4028). */
  SIP_SESSION_EXPIRES_SECONDS: seconds(90, 86_400).default(1_800),
  SIP_SESSION_MIN_SECONDS: seconds(90, 86_400).default(90),
  /** `host` or `host:port` of a Homer that takes copies of SIP messages and RTCP reports (HEP 3); none are sent when unset. */
  HEP_ADDRESS: z
    .string()
    .regex(/^(\[[\da-f:]+\]|[\w.-]+)(:\d{1,5})?$/i, 'must be host or host:port')
    .optional(),
  /** Which engine sends, among those that send to the same Homer. */
  HEP_CAPTURE_ID: count(1, 4_294_967_295).default(1),
  HEP_PASSWORD: text.optional(),
  /** Calls that the embedded engine takes at once; the next gets 503. */
  MAX_CALLS: count(1, 100_000).default(1000),
  /** New calls a second that it takes; the next gets 503. What its kind of engine takes when unset. */
  MAX_CALLS_PER_SECOND: count(1, 10_000).optional(),
  /** Music for held calls; Asterisk's own when unset. */
  HOLD_MUSIC_DIR: text.transform((path) => resolve(path)).optional(),
  /** Numbers that softphones may always call, past every limit, by the default trunk. */
  EMERGENCY_NUMBERS: list
    .pipe(z.array(z.string().regex(/^\d{2,6}$/, 'must be 2 to 6 digits')).min(1))
    .default(['911', '997', '998', '999']),
  /** Do what softphones ask for by REFER with Replaces: give a customer to whom they have on another call. */
  SOFTPHONE_ATTENDED_TRANSFER: flag.default(false),
  /** Default trunk for calls to numbers outside the platform: sip:host[:port][;transport=udp|tcp|tls]. */
  SIP_TRUNK_URI: z
    .string()
    .regex(/^sips?:[^\s]+$/, 'must be a SIP address such as sip:carrier.example:5060')
    .optional(),
  SIP_TRUNK_USERNAME: text.optional(),
  SIP_TRUNK_PASSWORD: text.optional(),

  /** Where finished recordings go; those that are elsewhere already stay there and are still read. */
  RECORDING_STORAGE: z.enum(['local', 's3']).default('local'),
  /** Folder of the local storage; below the data folder when unset. */
  RECORDING_DIR: text.transform((path) => resolve(path)).optional(),
  /** Amazon's own for the region when unset. */
  S3_ENDPOINT: url('http:', 'https:').optional(),
  S3_REGION: text.default('us-east-1'),
  S3_BUCKET: text.optional(),
  S3_ACCESS_KEY_ID: text.optional(),
  S3_SECRET_ACCESS_KEY: text.optional(),
  /** The bucket in the path of the address instead of the host's name. */
  S3_FORCE_PATH_STYLE: flag.default(false),
  /** Before every key. */
  S3_PREFIX: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/, 'must be lower-case names with slashes between')
    .optional(),
  S3_ENCRYPTION: z.enum(['AES256', 'aws:kms']).optional(),

  /** How long a stop waits for live calls to end by themselves. */
  DRAIN_SECONDS: seconds(0, 86_400).default(30),
  /** How long an answered call of an engine that was lost is given to show up again. */
  ENGINE_GRACE_SECONDS: seconds(1, 86_400).default(300),
  /** How much may wait on disk, for each engine, while PostgreSQL is away. */
  JOURNAL_MAX_MB: count(1, 1_000_000).default(256),
  /** Days for which events with their deliveries are kept, what happened in a call, and who did what; 0 is for ever. */
  RETENTION_EVENTS_DAYS: count(0, 36_500).default(30),
  RETENTION_TIMELINE_DAYS: count(0, 36_500).default(90),
  RETENTION_AUDIT_DAYS: count(0, 36_500).default(365),
  /** Days for which verifications, other codes and authentication calls are kept, with the numbers that they were for; 0 is for ever. */
  RETENTION_VERIFICATIONS_DAYS: count(0, 36_500).default(90),
  /** Whether each day's call detail records go to the storage of recordings, and for how many days they stay there; 0 is for ever. */
  CDR_EXPORT: flag.default(false),
  CDR_EXPORT_KEEP_DAYS: count(0, 36_500).default(0),
  ESPEAK_COMMAND: text.optional(),
  /** A voice behind OpenAI's API for speech, as its client libraries take the address (with `/v1`); espeak-ng speaks while it fails. */
  TTS_URL: url('http:', 'https:').optional(),
  TTS_API_KEY: text.optional(),
  TTS_MODEL: text.default('tts-1'),
  TTS_VOICE_AR: text.default('alloy'),
  TTS_VOICE_EN: text.default('alloy'),
  /** What writes down what is said, behind OpenAI's API for transcription, as its client libraries take the address (with `/v1`). */
  TRANSCRIPTION_URL: url('http:', 'https:').optional(),
  TRANSCRIPTION_API_KEY: text.optional(),
  TRANSCRIPTION_MODEL: text.default('whisper-1'),
  /** Where no `TRANSCRIPTION_URL` is set: by pocketsphinx on this machine, which is fetched when it is first needed. English only. Default: on with the embedded PostgreSQL. */
  TRANSCRIPTION_EMBEDDED: flag.optional(),
  /** The mail server for one-time codes and notifications: smtp://user:password@host:port or smtps://…; no mail is sent when unset. */
  SMTP_URL: url('smtp:', 'smtps:').optional(),
  /** Whom mail is from: an address, or `Name <address>`. */
  MAIL_FROM: text.optional(),
  /** Numbers that begin so get neither codes nor authentication calls. */
  VERIFY_BLOCKED_PREFIXES: list.pipe(z.array(z.string().regex(/^\+\d{1,15}$/, 'must be + and digits'))).default([]),
  /** Codes that may be sent within ten minutes: to one number or address, on behalf of one end user's address, and to one block of 10,000 numbers. */
  VERIFY_SENDS_PER_RECIPIENT: count(1, 1_000).default(5),
  VERIFY_SENDS_PER_ADDRESS: count(1, 100_000).default(20),
  VERIFY_SENDS_PER_PREFIX: count(1, 1_000_000).default(100),
  /** A block of numbers is closed to codes for a day when fewer than so many percent of at least so many codes were entered; 0 percent never. */
  VERIFY_FRAUD_PERCENT: count(0, 100).default(10),
  VERIFY_FRAUD_SENDS: count(1, 1_000_000).default(20),
  /** Authentication calls to one number within ten minutes, and how many refused ones in a day close it to more. */
  VOICE_AUTH_CALLS_PER_NUMBER: count(1, 1_000).default(3),
  VOICE_AUTH_DENIALS: count(1, 1_000).default(3),
  /** Mirror for the embedded parts' Debian packages where this machine has none configured. */
  DEBIAN_MIRROR: url('http:', 'https:').optional(),
  /** How long a project may use the sandbox, from its first request with a sandbox key. */
  SANDBOX_TRIAL_DAYS: count(1, 36_500).default(30),
  /** Talking time of all of a project's sandbox calls together. */
  SANDBOX_TRIAL_MINUTES: count(1, 10_000_000).default(100),
  /** For how long a number that a project gave up is kept from others. */
  NUMBER_QUARANTINE_DAYS: count(0, 3650).default(30),
  /** Numbers of the operator's own that customers can have without being imported: `+966115551000-+966115551999`. */
  NUMBER_RANGES: list
    .pipe(z.array(numberRange))
    .refine(isSearchable, `must not name more than ${MOST_IN_RANGES} numbers; import larger ranges`)
    .default([]),
  /** A provider of further numbers that speaks the protocol of docs/reference/number-provider.md, and the secret that signs requests to it. */
  NUMBER_PROVIDER_URL: url('http:', 'https:').optional(),
  NUMBER_PROVIDER_SECRET: z.string().min(16).optional(),
  NUMBER_PROVIDER_TIMEOUT_SECONDS: seconds(1, 30).default(10),
  /** SAR for a minute, by direction or by direction and kind, of the rate plan `default`: `outbound=0.12,outbound.callback=0.15`. */
  CALL_PRICES: list.pipe(z.array(callPrice)).refine(areDifferent, 'names a direction or kind twice').default([]),
  /** Value added tax on invoices and payments. */
  BILLING_VAT_PERCENT: count(0, 100).default(15),
  /** Who writes invoices, as it stands on them; all of it is needed to write any. */
  INVOICE_SELLER_NAME_AR: text.max(120).optional(),
  INVOICE_SELLER_NAME_EN: text.max(120).optional(),
  INVOICE_SELLER_VAT_NUMBER: z
    .string()
    .regex(/^3\d{13}3$/, 'must be 15 digits that begin and end with 3')
    .optional(),
  INVOICE_SELLER_ADDRESS: text.max(250).optional(),
  /** Before the year in numbers of invoices: `INV-2026-000001`. */
  INVOICE_NUMBER_PREFIX: z
    .string()
    .regex(/^[A-Z0-9]{1,10}$/, 'must be 1 to 10 capital letters or digits')
    .default('INV'),
  /** The operator's account for bank transfers; without it customers cannot pay so. */
  PAYMENT_IBAN: ibanSetting.optional(),
  /** Whose account it is, as banks know him. */
  PAYMENT_ACCOUNT_NAME: text.optional(),
  /** A payment gateway that speaks the protocol of docs/reference/payments.md, and the secret that signs what either side says. */
  PAYMENT_GATEWAY_URL: url('http:', 'https:').optional(),
  PAYMENT_GATEWAY_SECRET: z
    .string()
    .refine(isWebhookSecret, 'must be whsec_ and the base64 of 24 bytes or more')
    .optional(),
  PAYMENT_GATEWAY_TIMEOUT_SECONDS: seconds(1, 30).default(10),
  HATIF_FLAGS_OFF: list.default([]),
  HATIF_FLAGS_ON: list.default([]),
  /** How this process is called among others of the same installation. */
  HATIF_INSTANCE: text.default(hostname()),

  /** For the `hatif` command: the API it speaks to and the key it uses, instead of the data folder's bootstrap file. */
  HATIF_BASE_URL: url('http:', 'https:').optional(),
  HATIF_API_KEY: text.optional(),
});

export type Environment = z.input<typeof schema>;
export type Settings = Readonly<z.output<typeof schema>>;

/** Names of all settings, for the check of `.env.example`. */
export const SETTING_NAMES = Object.keys(schema.shape) as readonly (keyof Settings)[];

/** One or more settings are wrong; `problems` names each variable and what is wrong with it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(readonly problems: readonly string[]) {
    super(`Settings are wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Read the settings. Empty variables count as unset; unknown variables are other programs' business, but an unknown `HATIF_*` is a typo.
 * @throws SettingsError naming each variable.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, environment[name]] as const).filter(
      ([, value]) => value !== undefined && value !== '',
    ),
  );
  const problems = Object.keys(environment)
    .filter((name) => name.startsWith('HATIF_') && !name.startsWith('HATIF_TEST_') && !(name in schema.shape))
    .map((name) => `${name}: is not a setting`);
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    problems.push(...parsed.error.issues.map((issue) => `${issue.path.slice(0, 1).join('.')}: ${issue.message}`));
  } else {
    problems.push(...contradictions(parsed.data));
  }
  if (problems.length > 0 || !parsed.success) throw new SettingsError(problems);
  return Object.freeze(parsed.data);
}

function contradictions(settings: z.output<typeof schema>): string[] {
  const problems: string[] = [];
  if (settings.ASTERISK_ARI_URL && !settings.ASTERISK_ARI_PASSWORD) {
    problems.push('ASTERISK_ARI_PASSWORD: is needed with ASTERISK_ARI_URL');
  }
  if (!settings.ASTERISK_ENABLED && settings.ASTERISK_ARI_URL) {
    problems.push('ASTERISK_ARI_URL: names an Asterisk, and ASTERISK_ENABLED says that there is none');
  }
  if (settings.RTP_PORT_FROM >= settings.RTP_PORT_TO) problems.push('RTP_PORT_TO: must be above RTP_PORT_FROM');
  if (settings.SIP_SESSION_MIN_SECONDS > settings.SIP_SESSION_EXPIRES_SECONDS) {
    problems.push('SIP_SESSION_MIN_SECONDS: must not be above SIP_SESSION_EXPIRES_SECONDS');
  }
  if ((settings.SIP_TLS_CERT === undefined) !== (settings.SIP_TLS_KEY === undefined)) {
    problems.push('SIP_TLS_CERT and SIP_TLS_KEY: both or neither');
  }
  if ((settings.SIP_TRUNK_USERNAME === undefined) !== (settings.SIP_TRUNK_PASSWORD === undefined)) {
    problems.push('SIP_TRUNK_USERNAME and SIP_TRUNK_PASSWORD: both or neither');
  }
  if (settings.SMTP_URL !== undefined && settings.MAIL_FROM === undefined) {
    problems.push('MAIL_FROM: is needed with SMTP_URL');
  }
  if ((settings.NUMBER_PROVIDER_URL === undefined) !== (settings.NUMBER_PROVIDER_SECRET === undefined)) {
    problems.push('NUMBER_PROVIDER_URL and NUMBER_PROVIDER_SECRET: both or neither');
  }
  if ((settings.PAYMENT_IBAN === undefined) !== (settings.PAYMENT_ACCOUNT_NAME === undefined)) {
    problems.push('PAYMENT_IBAN and PAYMENT_ACCOUNT_NAME: both or neither');
  }
  if ((settings.PAYMENT_GATEWAY_URL === undefined) !== (settings.PAYMENT_GATEWAY_SECRET === undefined)) {
    problems.push('PAYMENT_GATEWAY_URL and PAYMENT_GATEWAY_SECRET: both or neither');
  }
  problems.push(...contradictionsOfS3(settings));
  return problems;
}

/** The bucket is described as a whole or not at all: recordings may be in it from before. */
function contradictionsOfS3(settings: z.output<typeof schema>): string[] {
  const needed = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
  const given = needed.filter((name) => settings[name] !== undefined);
  const why = settings.RECORDING_STORAGE === 's3' ? 'RECORDING_STORAGE=s3' : given[0];
  if (why === undefined) return [];
  return needed.filter((name) => !given.includes(name)).map((name) => `${name}: is needed with ${why}`);
}
