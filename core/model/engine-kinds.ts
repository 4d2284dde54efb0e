import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { invalidField } from './errors/index.js';
import { parseHostPort } from './host-port.js';

/** How processes command an engine and find its files, by kind. The simulator lives in the process and has no address. */
export interface EngineAddresses {
  readonly asterisk: AriAddress;
  readonly freeswitch: EventSocketAddress;
  readonly simulator: null;
}

export type EngineKind = keyof EngineAddresses;

/** The stored form: a column of the table of engines. */
export type EngineAddress = NonNullable<EngineAddresses[EngineKind]>;

/** What an operator says of a new engine's address. */
export interface NewEngineAddress {
  readonly address: string;
  readonly user: string;
  /** The engine's own record of its legs, by its path in the processes; null if it keeps none. */
  readonly details: string | null;
  /** Folder in which the engine records, by its path in the engine and in the processes; null for the default. */
  readonly recordings: string | null;
}

/** How operators add engines of a kind that carries telephone calls. */
export interface TelephonyKind<Address = unknown> {
  /** For help texts: what the address looks like. */
  readonly addressHelp: string;
  /** For help texts: the engine's own record of its legs. */
  readonly detailsHelp: string;
  /** True if the engine fetches its softphones and trunks from the API, with a secret. */
  readonly fetchesConfiguration: boolean;
  readonly stored: z.ZodType<Address>;
  /** @throws HatifError VALIDATION_ERROR */
  read(text: NewEngineAddress): Address;
}

interface AriAddress {
  /** Origin of Asterisk's HTTP server. */
  readonly url: string;
  readonly user: string;
  /** The CEL file. */
  readonly details?: string | undefined;
}

interface EventSocketAddress {
  readonly host: string;
  readonly port: number;
  /** The folder of legs that ended while no process listened. */
  readonly details?: string | undefined;
  /** The folder in which it records; by default one below the folder of sounds. */
  readonly recordings?: string | undefined;
}

const EVENT_SOCKET_PORT = 8021;
const USER = /^[\w.@-]{1,64}$/;

/**
 * The kinds of engines, as far as they are data: how operators add engines that carry telephone calls, and null for the
 * simulator, which the platform adds itself for the calls of sandbox keys. `main/engines/kinds/` holds how each is opened. A
 * new kind is an entry here and in {@link EngineAddresses}, a descriptor there, and an implementation of the engine port.
 */
export const ENGINE_KINDS: { readonly [Kind in EngineKind]: KindOf<Kind> } = {
  asterisk: {
    addressHelp: 'Asterisk’s ARI: http://host:port',
    detailsHelp: 'Asterisk’s CEL file',
    fetchesConfiguration: false,
    stored: z.object({ url: z.string(), user: z.string(), details: z.string().optional() }),
    read({ address, user, details, recordings }) {
      const paths = pathIn('details', details);
      if (recordings !== null) {
        throw invalidField('recordings', { en: 'is for FreeSWITCH only', ar: 'خاص بمحرّك FreeSWITCH فقط' });
      }
      return { url: originOf(address), user: checkUser(user), ...paths };
    },
  },
  freeswitch: {
    addressHelp: 'FreeSWITCH’s event socket: host or host:port',
    detailsHelp: 'FreeSWITCH’s folder of ended legs',
    fetchesConfiguration: true,
    stored: z.object({
      host: z.string(),
      port: z.number(),
      details: z.string().optional(),
      recordings: z.string().optional(),
    }),
    read({ address, details, recordings }) {
      const paths = { ...pathIn('details', details), ...pathIn('recordings', recordings) };
      return { ...parseHostPort(address, 'address', EVENT_SOCKET_PORT), ...paths };
    },
  },
  simulator: null,
};

type KindOf<Kind extends EngineKind> = EngineAddresses[Kind] extends null ? null : TelephonyKind<EngineAddresses[Kind]>;

const KINDS = Object.keys(ENGINE_KINDS) as EngineKind[];

/** Where an Asterisk accepts SIP over WebSocket. @param url an address of its HTTP server, such as ARI's */
export function asteriskWebSocket(url: string): string {
  return `${new URL(url).origin.replace(/^http/, 'ws')}/ws`;
}

/** Where an engine accepts SIP over WebSocket from this platform; null: nowhere. */
export function webSocketOf(of: {
  readonly kind: EngineKind;
  readonly address: EngineAddress | null;
  readonly ws_url: string | null;
}): string | null {
  if (of.ws_url !== null || of.kind !== 'asterisk') return of.ws_url;
  const address = ENGINE_KINDS.asterisk.stored.safeParse(of.address);
  return address.success ? asteriskWebSocket(address.data.url) : null;
}

/** The kinds that carry telephone calls: operators add these engines. */
export const LIVE_KINDS = KINDS.filter(isTelephony);

/** The kinds that carry the calls of sandbox keys. */
export const SANDBOX_KINDS = KINDS.filter((kind) => !isTelephony(kind));

/** False for the simulator, and for a kind of a newer version. */
export function isTelephony(kind: EngineKind): boolean {
  return (ENGINE_KINDS[kind] ?? null) !== null;
}

function pathIn<Field extends string>(field: Field, path: string | null): Partial<Readonly<Record<Field, string>>> {
  return path === null ? {} : ({ [field]: checkPath(field, path) } as Record<Field, string>);
}

function checkPath(field: string, path: string): string {
  // A command of the event socket is a line of words.
  if (isAbsolute(path) && !/[\s'"{}[\],\p{Cc}]/u.test(path)) return path;
  throw invalidField(field, {
    en: 'must be an absolute path without spaces, quotes, commas or brackets',
    ar: 'يجب أن يكون مسارًا مطلقًا بلا مسافات أو علامات اقتباس أو فواصل أو أقواس',
  });
}

function originOf(text: string): string {
  if (URL.canParse(text)) {
    const { protocol, username, password, origin } = new URL(text);
    if (/^https?:$/.test(protocol) && username === '' && password === '') return origin;
  }
  throw invalidField('address', { en: 'must be http://host:port', ar: 'يجب أن يكون بالصيغة `http://host:port`' });
}

function checkUser(user: string): string {
  if (!USER.test(user)) throw invalidField('user');
  return user;
}
