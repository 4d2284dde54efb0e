import { startEmbedded, stopEmbedded, type EmbeddedParts } from '../../adapters/embedded/index.js';
import type { Progress, Tool } from '../../adapters/embedded/index.js';
import type { Settings } from '../../config/settings.js';
import { parseSipAddress, type HostPort } from '../../core/model/host-port.js';
import { asteriskOptions } from './asterisk-options.js';
import { cacheFolder } from './places.js';
import { hasOwnTurn, turnOptions, turnUrl } from './turn.js';

/** Addresses of everything outside this process, embedded or not. */
export interface Parts {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** ARI of the settings' Asterisk; null if the settings exclude one. */
  readonly ari: { readonly url: string; readonly user: string; readonly password: string } | null;
  /** Codecs of outgoing legs in order of preference, by Asterisk's names. */
  readonly codecs: readonly string[];
  /** Where phones register. */
  readonly sip: HostPort;
  /** SIP address of the engine for this process and for other engines; null if unknown. */
  readonly engineSip: HostPort | null;
  /** Asterisk's CEL file, if this process can read it. `isEmbedded`: this process keeps it small. */
  readonly cel: { readonly file: string; readonly isEmbedded: boolean } | null;
  /** The embedded TURN server for browsers; null if there is none. */
  readonly turn: { readonly url: string; readonly secret: string } | null;
  /** The text-to-speech program; null if there is none. */
  readonly speech: Tool | null;
  /** Parts that this process started and may stop. */
  readonly embedded: EmbeddedParts;
}

/** Starts the parts that no setting replaces. @throws EmbeddedError */
export async function openParts(settings: Settings, onProgress: Progress): Promise<Parts> {
  const dataDir = settings.HATIF_DATA_DIR;
  const embedded = await startEmbedded(
    {
      dataDir,
      cacheDir: cacheFolder(settings),
      ...(settings.DEBIAN_MIRROR === undefined ? {} : { aptMirror: settings.DEBIAN_MIRROR }),
      asterisk: asteriskOptions(settings),
      turn: turnOptions(settings),
      onProgress,
    },
    {
      postgres: settings.DATABASE_URL === undefined,
      redis: settings.REDIS_URL === undefined,
      asterisk: settings.ASTERISK_ENABLED && settings.ASTERISK_ARI_URL === undefined,
      speech: settings.ESPEAK_COMMAND === undefined,
      turn: hasOwnTurn(settings),
    },
  );
  const { asterisk } = embedded;
  return {
    embedded,
    databaseUrl: given(settings.DATABASE_URL ?? embedded.postgres?.url),
    redisUrl: given(settings.REDIS_URL ?? embedded.redis?.url),
    ari: asterisk?.ari ?? (settings.ASTERISK_ENABLED ? ariOf(settings) : null),
    codecs: asterisk?.codecs ?? settings.CODECS,
    sip: phonesAt(settings, asterisk?.sip),
    engineSip: engineSipOf(settings, asterisk?.sip),
    cel: celOf(settings, asterisk?.celFile),
    turn: embedded.turn ? { url: turnUrl(settings, embedded.turn.port), secret: embedded.turn.secret } : null,
    speech:
      settings.ESPEAK_COMMAND === undefined
        ? (embedded.speech ?? null)
        : { name: 'espeak-ng', version: '', command: settings.ESPEAK_COMMAND, args: [], env: process.env },
  };
}

/** Stops the embedded parts; data is kept. */
export async function closeParts(parts: Parts): Promise<void> {
  await stopEmbedded(parts.embedded);
}

/** The names of the parts, with their versions. */
export function namesOf(parts: EmbeddedParts): string[] {
  return [parts.postgres, parts.redis, parts.asterisk, parts.speech, parts.turn]
    .filter((part) => part !== undefined)
    .map(({ name, version }) => `${name} ${version.split('+')[0] ?? version}`);
}

function ariOf(settings: Settings): NonNullable<Parts['ari']> {
  return {
    url: given(settings.ASTERISK_ARI_URL),
    user: settings.ASTERISK_ARI_USER,
    password: given(settings.ASTERISK_ARI_PASSWORD),
  };
}

/** Where phones register. */
function phonesAt(settings: Settings, embedded: HostPort | undefined): HostPort {
  const { SIP_EDGE, SIP_EDGE_ADDRESS: edge, SIP_EXTERNAL_ADDRESS: external, SIP_BIND, SIP_PORT: port } = settings;
  if (SIP_EDGE === 'drachtio' && edge !== undefined) {
    return { host: external ?? parseSipAddress(edge).host, port: settings.SIP_EDGE_PORT };
  }
  return embedded ?? { host: external ?? SIP_BIND, port };
}

function engineSipOf({ ASTERISK_SIP_ADDRESS: own }: Settings, embedded: HostPort | undefined): HostPort | null {
  if (own !== undefined) return parseSipAddress(own);
  if (!embedded) return null;
  // An engine that listens on all addresses is reached by loopback.
  return isWildcard(embedded.host) ? { ...embedded, host: '127.0.0.1' } : embedded;
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function celOf({ ASTERISK_CEL_FILE: own }: Settings, embedded: string | undefined): Parts['cel'] {
  if (embedded !== undefined) return { file: embedded, isEmbedded: true };
  return own === undefined ? null : { file: own, isEmbedded: false };
}

/** Either a setting or an embedded part defines the value. */
function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('neither set nor embedded');
  return value;
}
