import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { BILLING_SETTINGS } from './billing-settings.js';
import {
  address,
  anyPort,
  count,
  domainName,
  flag,
  hostAndPort,
  hostName,
  iceServerAddress,
  isSearchable,
  list,
  listOf,
  matching,
  MOST_IN_RANGES,
  numberRange,
  oneOf,
  ORIGIN,
  port,
  proxy,
  someOf,
  text,
  url,
  webhookSecret,
} from './setting-values.js';
import { SIP_SETTINGS } from './sip-settings.js';
import { smppAccount } from './smpp-account.js';

/**
 * Every setting of the platform. The environment is read once at start, checked as a whole and frozen; services receive
 * values. `.env.example` lists the same names; a test compares the two.
 */

export const ROLES = ['api', 'engine', 'sip', 'jobs'] as const;
export type Role = (typeof ROLES)[number];

export const SETTINGS_SCHEMA = z.object({
  /** The parts of the platform that this process runs. */
  HATIF_ROLES: someOf(...ROLES).default([...ROLES]),
  /** Holds the embedded parts, recordings, speech and the bootstrap file. */
  HATIF_DATA_DIR: text.default('.hatif').transform((path) => resolve(path)),
  /** Starts beside a process that runs with the same data folder, to replace it while calls are live. */
  HATIF_REPLACE: flag.default(false),
  /** Holds downloads of embedded parts; below the data folder if unset. */
  HATIF_CACHE_DIR: text.transform((path) => resolve(path)).optional(),
  /** The installation's secret; generated in the data folder if unset. All processes on one database need the same. */
  HATIF_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent').default('info'),
  /** `file` is `<data folder>/logs/hatif.log`: the default of an embedded start, which keeps the terminal readable. */
  LOG_TO: oneOf('stdout', 'file').optional(),

  HOST: hostName.default('127.0.0.1'),
  PORT: anyPort.default(8080),
  /** The address at which clients reach the API, for links in responses. */
  PUBLIC_URL: url('http:', 'https:').optional(),
  /** PEM files: with both, `PORT` serves HTTPS. They are read again when they change. */
  HTTP_TLS_CERT: text.transform((path) => resolve(path)).optional(),
  HTTP_TLS_KEY: text.transform((path) => resolve(path)).optional(),
  /** Host names of the certificate that an ACME authority (RFC 8555) issues; none is requested if unset. */
  ACME_DOMAINS: listOf(domainName).default([]),
  /** What the certificate is for. */
  ACME_FOR: someOf('https', 'sip').default(['https', 'sip']),
  ACME_DIRECTORY_URL: url('https:').default('https://acme-v02.api.letsencrypt.org/directory'),
  /** Whether the operator agrees to the terms of the authority, which issues nothing otherwise. */
  ACME_TERMS_AGREED: flag.default(false),
  /** For the authority's notices. */
  ACME_EMAIL: z.email('must be a mail address').optional(),
  /** The account that some authorities need (external account binding). */
  ACME_EAB_KEY_ID: text.optional(),
  ACME_EAB_HMAC_KEY: text.optional(),
  /**
   * A port of plain HTTP that answers the authority, which comes to port 80, and sends everybody else to PUBLIC_URL. Unset:
   * `PORT` answers it.
   */
  ACME_HTTP_PORT: anyPort.optional(),
  /** Serves /metrics on a separate port instead of the API's. */
  METRICS_PORT: anyPort.optional(),
  /** Proxies in front of the API whose X-Forwarded-For is trusted. */
  TRUST_PROXY: listOf(proxy).default([]),
  RATE_LIMIT_SANDBOX_PER_MINUTE: count(1, 1_000_000).default(60),
  RATE_LIMIT_LIVE_PER_MINUTE: count(1, 1_000_000).default(600),
  /** Requests per minute of one signed-in user. */
  RATE_LIMIT_USER_PER_MINUTE: count(1, 1_000_000).default(600),
  /** Requests per minute from one address, counted before the key is checked. */
  RATE_LIMIT_ADDRESS_PER_MINUTE: count(1, 10_000_000).default(3000),
  /** Requests per minute from one address with one click-to-call widget. */
  RATE_LIMIT_WIDGET_PER_MINUTE: count(1, 1_000_000).default(120),
  /** Event streams that one API key may have open, in each process. */
  EVENT_STREAMS_PER_KEY: count(1, 100_000).default(50),
  /** How many chats of visitors an agent of a queue is offered at the same time. */
  CHATS_PER_AGENT: count(1, 100).default(4),
  /** Calls and codes of widgets in ten minutes: for one visitor's address, and to one number. */
  WIDGET_CALLS_PER_ADDRESS: count(1, 1_000_000).default(10),
  WIDGET_CALLS_PER_NUMBER: count(1, 1_000_000).default(3),
  /** Calls and codes of widgets in an hour: of one that sets no number itself, and of all of a project. */
  WIDGET_CALLS_PER_WIDGET: count(1, 1_000_000).default(100),
  WIDGET_CALLS_PER_PROJECT: count(1, 1_000_000).default(300),
  /** Origins of web pages that may use API keys (https://console.example.com), besides the platform's own pages. */
  API_ALLOWED_ORIGINS: listOf(matching(ORIGIN, 'must be origins such as https://console.example.com')).default([]),
  /** Calls and callbacks that a project may place, if the feature call_velocity is on. */
  CALL_VELOCITY_PER_MINUTE: count(1, 1_000_000).default(30),
  /** Of these, calls and callbacks to one number. */
  CALL_VELOCITY_NUMBER_PER_10_MINUTES: count(1, 1_000_000).default(5),
  /** Messages that a project may have accepted in an hour, those of broadcasts too. Unset: no limit. */
  MESSAGES_PER_HOUR: count(1, 100_000_000).optional(),
  /** MB (10^6 bytes) that the uploaded audio files of one project may take, as stored: 2.9 MB a minute. */
  AUDIO_QUOTA_MB: count(1, 10_000_000).default(1000),
  /** Web calling sessions that may be open at once: of one project, and of one identity in it. */
  WEB_SESSIONS_PER_PROJECT: count(1, 1_000_000).default(100),
  WEB_SESSIONS_PER_IDENTITY: count(1, 1_000_000).default(5),
  /**
   * STUN and TURN servers for browsers, those of a region with its name before: `stun:stun.example.com,riyadh=turn:turn.example.com:3478,
   * riyadh=turns:turn.example.com:5349?transport=tcp`.
   */
  TURN_SERVERS: listOf(iceServerAddress).default([]),
  /** Shared with the TURN servers (coturn: `static-auth-secret`), for credentials that work for a time. */
  TURN_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** Runs coturn; on by default if the embedded Asterisk is reached from outside and TURN_SERVERS is empty. */
  TURN_EMBEDDED: flag.optional(),
  /** Addresses of other engines' media, to which that coturn relays although they may be private. */
  TURN_PEERS: listOf(address).default([]),
  TURN_PORT: port.default(3478),
  TURN_RELAY_PORT_FROM: port.default(20_000),
  TURN_RELAY_PORT_TO: port.default(20_999),
  WEBHOOK_ALLOW_LOOPBACK: flag.optional(),
  /** For development: `play.url` may fetch from loopback addresses, also over plain http. */
  PLAY_URL_ALLOW_LOOPBACK: flag.default(false),

  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  DATABASE_POOL_SIZE: count(2, 200).default(10),
  REDIS_URL: url('redis:', 'rediss:').optional(),
  /** `false`: the settings name no engine and none is embedded; only engines of `hatif engines add` are used. */
  ASTERISK_ENABLED: flag.default(true),
  ASTERISK_ARI_URL: url('http:', 'https:').optional(),
  ASTERISK_ARI_USER: text.default('hatif'),
  ASTERISK_ARI_PASSWORD: text.optional(),
  /**
   * `host` or `host:port` at which Asterisk receives SIP from the platform and other engines; the embedded one's if
   * unset.
   */
  ASTERISK_SIP_ADDRESS: hostAndPort.optional(),
  /** The CEL file of an external Asterisk, by its path in this process. */
  ASTERISK_CEL_FILE: text.transform((path) => resolve(path)).optional(),
  /** For prompts and speech: a folder that engines see at the same path; below the data folder if unset. */
  MEDIA_DIR: text.transform((path) => resolve(path)).optional(),

  ...SIP_SETTINGS,

  /** Storage of new recordings; existing ones in the other storage stay readable. */
  RECORDING_STORAGE: oneOf('local', 's3').default('local'),
  /** Folder of the local storage; below the data folder if unset. */
  RECORDING_DIR: text.transform((path) => resolve(path)).optional(),
  /** Amazon's endpoint of the region if unset. */
  S3_ENDPOINT: url('http:', 'https:').optional(),
  S3_REGION: text.default('us-east-1'),
  S3_BUCKET: text.optional(),
  S3_ACCESS_KEY_ID: text.optional(),
  S3_SECRET_ACCESS_KEY: text.optional(),
  /** Puts the bucket into the path of the URL instead of the host name. */
  S3_FORCE_PATH_STYLE: flag.default(false),
  /** Prefix of every key. */
  S3_PREFIX: matching(
    /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/,
    'must be lower-case names with slashes between',
  ).optional(),
  S3_ENCRYPTION: oneOf('AES256', 'aws:kms').optional(),

  /** How long a stop waits for live calls to end. */
  DRAIN_SECONDS: count(0, 86_400).default(30),
  /** How long answered calls of an unreachable engine are kept before they count as ended. */
  ENGINE_GRACE_SECONDS: count(1, 86_400).default(300),
  /** Size limit of each engine's journal on disk while PostgreSQL is unavailable. */
  JOURNAL_MAX_MB: count(1, 1_000_000).default(256),
  /** Days for which events with their deliveries, call timelines and the audit log are kept; 0: forever. */
  RETENTION_EVENTS_DAYS: count(0, 36_500).default(30),
  RETENTION_TIMELINE_DAYS: count(0, 36_500).default(90),
  RETENTION_AUDIT_DAYS: count(0, 36_500).default(365),
  /** Days for which verifications, other codes and authentication calls are kept with their numbers; 0: forever. */
  RETENTION_VERIFICATIONS_DAYS: count(0, 36_500).default(90),
  /** Days for which messages are kept with their texts; 0: forever. */
  RETENTION_MESSAGES_DAYS: count(0, 36_500).default(365),
  /** Days for which the list of refused calls is kept; 0: forever. */
  RETENTION_REFUSED_CALLS_DAYS: count(0, 36_500).default(30),
  /**
   * When promotional and awareness messages may be sent, beside the default from 09:00 to 22:00; of the rows of a day, the
   * last one counts: docs/reference/messaging/consents.md.
   */
  MESSAGE_HOURS: z.string().default(''),
  /** Writes each day's call detail records to the storage of recordings, kept for CDR_EXPORT_KEEP_DAYS (0: forever). */
  CDR_EXPORT: flag.default(false),
  CDR_EXPORT_KEEP_DAYS: count(0, 36_500).default(0),
  /**
   * Years for which the law keeps call detail records, and invoices with payments and the ledger, of persons who were
   * erased and of organizations that were deleted; 0: not at all.
   */
  KEEP_CDR_YEARS: count(0, 100).default(3),
  KEEP_INVOICES_YEARS: count(0, 100).default(10),
  /** Days for which the archive of an export of personal data, and that of a deleted organization, can be downloaded. */
  PRIVACY_EXPORT_DAYS: count(1, 365).default(7),
  ORGANIZATION_ARCHIVE_DAYS: count(1, 3650).default(30),
  ESPEAK_COMMAND: text.optional(),
  /** Base URL of a text-to-speech service with OpenAI's API (with `/v1`); while it fails, espeak-ng speaks. */
  TTS_URL: url('http:', 'https:').optional(),
  TTS_API_KEY: text.optional(),
  TTS_MODEL: text.default('tts-1'),
  TTS_VOICE_AR: text.default('alloy'),
  TTS_VOICE_EN: text.default('alloy'),
  /** Base URL of a transcription service with OpenAI's API (with `/v1`). */
  TRANSCRIPTION_URL: url('http:', 'https:').optional(),
  TRANSCRIPTION_API_KEY: text.optional(),
  TRANSCRIPTION_MODEL: text.default('whisper-1'),
  /**
   * Without TRANSCRIPTION_URL: transcribes with pocketsphinx on this machine (English only), which is downloaded at
   * first use. On by default with the embedded PostgreSQL.
   */
  TRANSCRIPTION_EMBEDDED: flag.optional(),
  /**
   * Mail server for one-time codes and notifications: smtp://user:password@host:port or smtps://…; no mail is sent if
   * unset.
   */
  SMTP_URL: url('smtp:', 'smtps:').optional(),
  /** Sender of mail: an address, or `Name <address>`. */
  MAIL_FROM: text.optional(),
  /** Signs mail of customers (DKIM, RFC 6376): with all three. The key is a PEM file. */
  MAIL_DKIM_DOMAIN: domainName.optional(),
  MAIL_DKIM_SELECTOR: matching(/^[a-z0-9.-]{1,63}$/i, 'must be letters, digits, dots and dashes').optional(),
  MAIL_DKIM_KEY: text.transform((path) => resolve(path)).optional(),
  /** Where mail servers report mail of customers that they could not deliver; the sender if unset. */
  MESSAGE_BOUNCES_TO: z.email('must be a mail address').optional(),
  /** Address of tracked links in messages, without a path: https://hatif.link. PUBLIC_URL if unset. */
  SHORT_LINK_URL: url('http:', 'https:').optional(),
  /** Signs what is posted to `/v1/messages/providers/email/notices`; nothing is accepted if unset. */
  MESSAGE_NOTICE_SECRET: webhookSecret.optional(),
  /** The Graph API of WhatsApp, with its version. Numbers and their credentials are set by the API. */
  CHATAPP_URL: url('https:', 'http:').default('https://graph.facebook.com/v23.0'),
  /** How fast each number of the chat application sends, from each process. */
  CHATAPP_MESSAGES_PER_SECOND: count(1, 1_000).default(80),
  /** Accounts at SMSCs (SMPP 3.4), over which SMS are sent in turn. Without one, the channel `sms` has no provider. */
  SMPP_URLS: listOf(smppAccount).default([]),
  /**
   * How an SMS in several parts is submitted: each part with a header (`udh8`, `udh16`: a reference of one byte or two),
   * or the whole text at once (`payload`), for SMSCs that split it.
   */
  SMPP_LONG_MESSAGES: oneOf('udh8', 'udh16', 'payload').default('udh8'),
  /** Numbers with these prefixes get neither codes nor authentication calls. */
  VERIFY_BLOCKED_PREFIXES: listOf(
    matching(/^\+\d{1,15}$/, 'must be prefixes such as +966: + and 1 to 15 digits'),
  ).default([]),
  /**
   * Codes within ten minutes: to one number or mail address, for one end user's IP address, and to one block of 10,000
   * numbers.
   */
  VERIFY_SENDS_PER_RECIPIENT: count(1, 1_000).default(5),
  VERIFY_SENDS_PER_ADDRESS: count(1, 100_000).default(20),
  VERIFY_SENDS_PER_PREFIX: count(1, 1_000_000).default(100),
  /**
   * A block of numbers gets no codes for a day if, of at least VERIFY_FRAUD_SENDS codes, fewer than this percentage
   * were entered; 0 switches that off.
   */
  VERIFY_FRAUD_PERCENT: count(0, 100).default(10),
  VERIFY_FRAUD_SENDS: count(1, 1_000_000).default(20),
  /** Authentication calls to one number within ten minutes, and denied ones in a day after which it gets no more. */
  VOICE_AUTH_CALLS_PER_NUMBER: count(1, 1_000).default(3),
  VOICE_AUTH_DENIALS: count(1, 1_000).default(3),
  /** Mirror for the embedded parts' Debian packages, if this machine has none configured. */
  DEBIAN_MIRROR: url('http:', 'https:').optional(),
  /** How long a project may use the sandbox, from its first request with a sandbox key. */
  SANDBOX_TRIAL_DAYS: count(1, 36_500).default(30),
  /** Total talking time of a project's sandbox calls. */
  SANDBOX_TRIAL_MINUTES: count(1, 10_000_000).default(100),
  /** How long a number that a project released is unavailable to others. */
  NUMBER_QUARANTINE_DAYS: count(0, 3650).default(30),
  /** The operator's own numbers that customers can rent without an import: `+966115551000-+966115551999`. */
  NUMBER_RANGES: list
    .pipe(z.array(numberRange))
    .refine(isSearchable, `must not name more than ${MOST_IN_RANGES} numbers; import larger ranges`)
    .default([]),
  /**
   * A provider of further numbers with the protocol of docs/reference/number-provider.md, and the secret that signs
   * requests to it.
   */
  NUMBER_PROVIDER_URL: url('http:', 'https:').optional(),
  NUMBER_PROVIDER_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  NUMBER_PROVIDER_TIMEOUT_SECONDS: count(1, 30).default(10),
  ...BILLING_SETTINGS,
  /**
   * Whether strangers may sign up. Unset: `open` with SMTP_URL if the API listens on the loopback and PUBLIC_URL names no
   * other host, otherwise `closed`.
   */
  SIGNUP: oneOf('open', 'closed').optional(),
  /** Whether an organization needs the verified national identity of an owner to request production access. */
  NATIONAL_ID: oneOf('off', 'required').default('required'),
  /**
   * A national identity service with the protocol of docs/reference/accounts/national-identity.md, and the secret that signs
   * messages of both sides.
   */
  NATIONAL_ID_URL: url('http:', 'https:').optional(),
  NATIONAL_ID_SECRET: webhookSecret.optional(),
  NATIONAL_ID_TIMEOUT_SECONDS: count(1, 30).default(10),
  HATIF_FLAGS_OFF: list.default([]),
  HATIF_FLAGS_ON: list.default([]),
  /** Name of this process among those of the installation. */
  HATIF_INSTANCE: text.default(hostname()),

  /** For the `hatif` command: the API and the key to use instead of those in the bootstrap file. */
  HATIF_BASE_URL: url('http:', 'https:').optional(),
  HATIF_API_KEY: text.optional(),
  /** For `hatif --url`: the token of an administrator of the other installation. */
  HATIF_ADMIN_TOKEN: text.optional(),
  /** What people type before a command that runs beside this process, such as `docker compose exec application`. */
  HATIF_COMMAND_PREFIX: text.optional(),
});

export type Environment = z.input<typeof SETTINGS_SCHEMA>;
export type Settings = Readonly<z.output<typeof SETTINGS_SCHEMA>>;

/** Names of all settings; a test compares them with `.env.example`. */
export const SETTING_NAMES = Object.keys(SETTINGS_SCHEMA.shape) as readonly (keyof Settings)[];
