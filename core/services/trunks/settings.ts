import { isIP } from 'node:net';
import type { TrunkRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { invalidField } from '../../model/errors/index.js';
import { parseNumber } from '../../model/phone-numbers.js';
import { parseSipUri } from '../../model/sip-uri.js';
import { ASSERTED_IDENTITIES, CALLER_ID_RULES, DTMF_MODES, TRUNK_CODECS } from '../../model/trunks/rules.js';
import { arabic } from '../../model/wording/wording.js';

/** What an operator sets of a trunk. */
export interface TrunkSettings {
  /** `sip:host[:port][;transport=udp|tcp|tls]`; `sips:` is TLS. */
  readonly uri?: string;
  /** Null: none. */
  readonly credentials?: { readonly username: string; readonly password: string } | null;
  /** Source addresses of incoming calls: `address`, `address:port` or CIDR ranges. Default: the trunk's own address. */
  readonly inboundAddresses?: readonly string[];
  readonly foreignNumbers?: boolean;
  /** Whether it carries the calls that no route takes. The first trunk becomes the default automatically. */
  readonly isDefault?: boolean;
  /** Whether engines probe the trunk with OPTIONS; some carriers do not answer them. Default: true. */
  readonly isProbed?: boolean;
  /** Default: true. */
  readonly enabled?: boolean;
  /** Whether engines register at it; needs credentials. */
  readonly registers?: boolean;
  /** How many calls it carries at once, in both directions; null: any number. */
  readonly capacity?: number | null;
  /** In order of preference; null: those of the settings. */
  readonly codecs?: readonly string[] | null;
  readonly dtmfMode?: string;
  readonly callerId?: string;
  readonly callerIdNumber?: string | null;
  readonly assertedIdentity?: string;
  readonly privacy?: boolean;
  /** Default: true. */
  readonly diversion?: boolean;
}

/** The columns that settings fill. */
export type TrunkColumns = Omit<TrunkRow, 'id' | 'name' | 'created_at'>;

const USERNAME = /^[\w.+@-]{1,128}$/;
const MOST_CALLS = 100_000;

/** A trunk without settings; its address is missing. */
export const NEW_TRUNK: Omit<TrunkColumns, 'host' | 'port' | 'transport' | 'is_default'> = {
  username: null,
  password: null,
  inbound_addresses: [],
  foreign_numbers: true,
  probed: true,
  enabled: true,
  registers: false,
  capacity: null,
  codecs: null,
  dtmf_mode: 'auto',
  caller_id: 'pass',
  caller_id_number: null,
  asserted_identity: 'caller',
  privacy: false,
  diversion: true,
};

/**
 * The columns that settings change.
 * @param from the trunk before; its sources follow a new address unless they were set otherwise
 * @throws HatifError VALIDATION_ERROR
 */
export function columnsOf(settings: TrunkSettings, from: TrunkColumns | null, cipher: Cipher): Partial<TrunkColumns> {
  const { uri, credentials, inboundAddresses, capacity, codecs, dtmfMode, callerId, assertedIdentity } = settings;
  const target = uri === undefined ? undefined : parseTarget(uri);
  const follows = from === null || from.inbound_addresses.join() === defaultSource(from).join();
  const followed = target && follows ? defaultSource(target) : undefined;
  const inbound = inboundAddresses?.map(checkAddress) ?? followed;
  return given({
    ...target,
    ...(credentials !== undefined && seal(credentials, cipher)),
    inbound_addresses: inbound,
    foreign_numbers: settings.foreignNumbers,
    is_default: settings.isDefault,
    probed: settings.isProbed,
    enabled: settings.enabled,
    registers: settings.registers,
    capacity: capacity == null ? capacity : checkCapacity(capacity),
    codecs: codecs == null ? codecs : checkCodecs(codecs),
    dtmf_mode: oneOf('dtmf_mode', DTMF_MODES, dtmfMode),
    caller_id: oneOf('caller_id', CALLER_ID_RULES, callerId),
    caller_id_number: settings.callerIdNumber == null ? settings.callerIdNumber : checkNumber(settings.callerIdNumber),
    asserted_identity: oneOf('asserted_identity', ASSERTED_IDENTITIES, assertedIdentity),
    privacy: settings.privacy,
    diversion: settings.diversion,
  });
}

/** Checks what settings need of each other. @throws HatifError VALIDATION_ERROR */
export function checkTogether({
  registers,
  username,
  caller_id,
  asserted_identity,
  caller_id_number,
}: TrunkColumns): void {
  if (registers && username === null) {
    throw invalidField('registers', {
      en: 'needs a user name and a password',
      ar: 'يتطلب اسم مستخدم وكلمة مرور',
    });
  }
  if ((caller_id === 'fixed' || asserted_identity === 'fixed') && caller_id_number === null) {
    throw invalidField('caller_id_number', {
      en: 'is required for a fixed number',
      ar: 'مطلوب عند استخدام رقم ثابت',
    });
  }
}

/** The columns without those that are not set. */
function given(columns: { readonly [K in keyof TrunkColumns]?: TrunkColumns[K] | undefined }): Partial<TrunkColumns> {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function seal(
  credentials: NonNullable<TrunkSettings['credentials']> | null,
  cipher: Cipher,
): Pick<TrunkRow, 'username' | 'password'> {
  if (!credentials) return { username: null, password: null };
  if (!USERNAME.test(credentials.username)) throw invalidField('username');
  if (credentials.password === '' || /[\r\n]/.test(credentials.password)) throw invalidField('password');
  return { username: credentials.username, password: cipher.seal(credentials.password) };
}

function parseTarget(text: string): Pick<TrunkRow, 'host' | 'port' | 'transport'> {
  const uri = parseSipUri(text);
  const transport = uri?.transport ?? (uri?.scheme === 'sips' ? 'tls' : 'udp');
  if (uri?.user !== null || transport === 'ws' || transport === 'wss') {
    throw invalidField('uri', {
      en: 'must be sip:host[:port][;transport=udp|tcp|tls]',
      ar: 'يجب أن يكون بالصيغة `sip:host[:port][;transport=udp|tcp|tls]`',
    });
  }
  return { host: uri.host, port: uri.port ?? (transport === 'tls' ? 5061 : 5060), transport };
}

/**
 * The default source of a trunk's calls: its own address. Over UDP, carriers send from their listening port; including
 * it distinguishes a trunk from softphones behind the same address.
 */
function defaultSource({ host, port, transport }: Pick<TrunkRow, 'host' | 'port' | 'transport'>): string[] {
  if (isIP(host) === 0) return [];
  if (transport !== 'udp') return [host];
  return [isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`];
}

/** Checks `ip`, `ip:port` or CIDR, the forms that engines match a request's source against. */
function checkAddress(text: string): string {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const [, host = address, port] = /^([\d.]+|\[[\da-f:]+\]):(\d{1,5})$/i.exec(address) ?? [];
  const family = isIP(host.replace(/^\[|\]$/g, ''));
  const fits = length === undefined || (port === undefined && Number(length) <= (family === 4 ? 32 : 128));
  if (family === 0 || !fits) {
    throw invalidField('inbound_addresses', {
      en: `"${text}" is not an address, address:port or CIDR range`,
      ar: arabic`«${text}» ليس عنوانًا أو عنوانًا مع منفذ أو نطاق CIDR`,
    });
  }
  return text.trim();
}

function checkCapacity(calls: number): number {
  if (Number.isInteger(calls) && calls >= 1 && calls <= MOST_CALLS) return calls;
  throw invalidField('capacity', { en: `must be 1 to ${MOST_CALLS}`, ar: arabic`يجب أن يكون من 1 إلى ${MOST_CALLS}` });
}

function checkCodecs(names: readonly string[]): readonly string[] {
  for (const [index, name] of names.entries()) oneOf(`codecs[${index}]`, TRUNK_CODECS, name);
  if (names.length > 0 && new Set(names).size === names.length) return names;
  throw invalidField('codecs', {
    en: 'must name at least one codec, each once',
    ar: 'يجب أن يذكر ترميزًا واحدًا على الأقل، دون تكرار',
  });
}

function checkNumber(text: string): string {
  const number = parseNumber(text, { allowForeign: true });
  if (number && number.kind !== 'emergency') return number.e164;
  throw invalidField('caller_id_number', {
    en: 'must be a telephone number such as +966112345678',
    ar: 'يجب أن يكون رقم هاتف مثل `+966112345678`',
  });
}

function oneOf<T extends string>(field: string, values: readonly T[], text: string | undefined): T | undefined {
  const value = values.find((one) => one === text);
  if (text === undefined || value !== undefined) return value;
  throw invalidField(field, {
    en: `must be one of: ${values.join(', ')}`,
    ar: arabic`يجب أن يكون إحدى القيم التالية: ${values.join('، ')}`,
  });
}
