import { isIP } from 'node:net';

import { violatedUnique } from '../../data/errors.js';
import type { TrunkStateRow, TrunkStates } from '../../data/repositories/engines/trunk-states.js';
import type { Trunks } from '../../data/repositories/engines/trunks.js';
import type { TrunkRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { parseSipUri } from '../../model/sip-uri.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import type { TrunkState } from '../../model/trunk-state.js';

export interface TrunkServiceOptions {
  readonly trunks: Trunks;
  readonly states: Pick<TrunkStates, 'list'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Notifies the processes that own engines that the trunks changed, so that they push the change. */
  readonly announce: () => Promise<void>;
}

export interface NewTrunk {
  /** Unique display name. */
  readonly name: string;
  /** `sip:host[:port][;transport=udp|tcp|tls]`; `sips:` is TLS. */
  readonly uri: string;
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Source addresses of incoming calls: `address`, `address:port` or CIDR ranges. Default: the trunk's own address. */
  readonly inboundAddresses?: readonly string[];
  readonly foreignNumbers?: boolean;
  /** Whether outgoing calls use this trunk by default. The first trunk becomes the default automatically. */
  readonly isDefault?: boolean;
  /** Whether engines probe the trunk with OPTIONS; some carriers do not answer them. Default: true. */
  readonly isProbed?: boolean;
}

/** A trunk without its password. */
export type TrunkView = Omit<TrunkRow, 'password'>;

/** A trunk, and what engines find when they probe it. */
export interface WatchedTrunk extends TrunkView {
  /**
   * `up` if it answers at least one engine, `down` if it answers none; `unknown` before the first result, and
   * `not_probed`.
   */
  readonly state: TrunkState | 'not_probed';
  readonly engines: readonly Pick<TrunkStateRow, 'engine' | 'state' | 'since'>[];
}

const NAME = /^[\w.-]{1,64}$/;
const USERNAME = /^[\w.+@-]{1,128}$/;

/** Manages the operator's trunks to the telephone network. */
export class TrunkService {
  constructor(private readonly options: TrunkServiceOptions) {}

  async list(): Promise<readonly TrunkView[]> {
    return (await this.options.trunks.list()).map(view);
  }

  async listWatched(): Promise<readonly WatchedTrunk[]> {
    const [trunks, states] = await Promise.all([this.list(), this.options.states.list()]);
    return trunks.map((trunk) => {
      const engines = states.filter(({ trunk_id }) => trunk_id === trunk.id);
      return {
        ...trunk,
        state: trunk.probed ? overallState(engines) : 'not_probed',
        engines: engines.map(({ engine, state, since }) => ({ engine, state, since })),
      };
    });
  }

  /** @throws HatifError VALIDATION_ERROR, also if the name is already taken. */
  async add(trunk: NewTrunk): Promise<TrunkView> {
    if (!NAME.test(trunk.name)) {
      throw invalidField('name', {
        en: 'must be 1 to 64 letters, digits, dots, dashes or underscores',
        ar: 'يجب أن يتكوّن من 1 إلى 64 حرفًا أو رقمًا أو نقطة أو شرطة (`-`) أو شرطة سفلية (`_`)',
      });
    }
    const target = parseTarget(trunk.uri);
    const others = await this.options.trunks.list();
    const row: TrunkRow = {
      id: newId(),
      name: trunk.name,
      ...target,
      ...this.#seal(trunk.credentials),
      inbound_addresses: (trunk.inboundAddresses ?? defaultSource(target)).map(checkAddress),
      foreign_numbers: trunk.foreignNumbers ?? true,
      probed: trunk.isProbed ?? true,
      is_default: trunk.isDefault ?? !others.some((other) => other.is_default),
      created_at: this.options.clock.now(),
    };
    try {
      await this.options.trunks.create(row);
    } catch (error) {
      if (violatedUnique(error) !== 'trunks_name') throw error;
      throw invalidField('name', {
        en: `a trunk ${trunk.name} already exists`,
        ar: arabic`يوجد خط ربط باسم ${trunk.name}`,
      });
    }
    await this.options.announce();
    return view(row);
  }

  /** Deletes a trunk. Calls in progress continue. @returns whether a trunk of this name existed */
  async remove(name: string): Promise<boolean> {
    const trunk = (await this.options.trunks.list()).find((other) => other.name === name);
    if (!trunk) return false;
    await this.options.trunks.remove(trunk.id);
    await this.options.announce();
    return true;
  }

  #seal(credentials: NewTrunk['credentials']): Pick<TrunkRow, 'username' | 'password'> {
    if (!credentials) return { username: null, password: null };
    if (!USERNAME.test(credentials.username)) throw invalidField('username');
    if (credentials.password === '' || /[\r\n]/.test(credentials.password)) throw invalidField('password');
    return { username: credentials.username, password: this.options.cipher.seal(credentials.password) };
  }
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

/** The state of a trunk that several engines use. */
export function overallState(engines: readonly Pick<TrunkStateRow, 'state'>[]): TrunkState {
  const states = engines.map(({ state }) => state);
  if (states.includes('up')) return 'up';
  return states.includes('down') ? 'down' : 'unknown';
}

function view({ password, ...shown }: TrunkRow): TrunkView {
  return shown;
}
