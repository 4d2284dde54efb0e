import { isAbsolute } from 'node:path';
import type { Engines, EngineWithLoad, ManagedEngine } from '../../data/repositories/engines/engines.js';
import type { EngineAddress, EngineRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import type { EngineKind } from '../../model/engine-kind.js';
import { invalidField } from '../../model/errors/index.js';
import { parseHostPort, parseSipAddress } from '../../model/host-port.js';
import { arabic } from '../../model/wording/wording.js';
import { takesCalls } from './choice.js';

export interface EngineServiceOptions {
  readonly engines: Engines;
  readonly cipher: Cipher;
  /** The engine kinds that this version supports. */
  readonly kinds: readonly EngineKind[];
  /** Notifies the processes that own engines. */
  readonly announce: () => Promise<void>;
}

export interface NewEngine {
  /** Unique display name. */
  readonly name: string;
  readonly kind: string;
  /** Asterisk: the HTTP server, `http://host:port` or https. FreeSWITCH: the event socket, `host` or `host:port`. */
  readonly address: string;
  /** The ARI user; an event socket has only a password. */
  readonly user: string;
  readonly password: string;
  /**
   * The SIP address, `host` or `host:port`. Null: SIP is not probed, and other engines cannot reach the phones on this
   * one.
   */
  readonly sip: string | null;
  readonly weight: number;
  readonly maxCalls: number | null;
  /**
   * The engine's own record of its legs, as a path that Hatif's processes can read: Asterisk's CEL file or FreeSWITCH's
   * folder. Null: the end times of legs that ended while no process was connected are estimated.
   */
  readonly details: string | null;
  /**
   * The folder in which FreeSWITCH records, as a path valid for FreeSWITCH and for Hatif's processes. Null: a folder
   * below the sounds folder.
   */
  readonly recordings: string | null;
}

/** An engine without its password. */
export interface EngineView extends Omit<EngineWithLoad, 'password'> {
  readonly takes_calls: boolean;
}

const NAME = /^[\w.-]{1,64}$/;
const USER = /^[\w.@-]{1,64}$/;
const MAX_WEIGHT = 1_000;
const EVENT_SOCKET_PORT = 8021;

/** Names of the engines that the settings or the processes register. */
export const SETTINGS_ENGINE = 'asterisk';
export const SANDBOX_ENGINE = 'sandbox';
const RESERVED = [SETTINGS_ENGINE, SANDBOX_ENGINE];

/** The secret with which the FreeSWITCH of this name authenticates its requests to Hatif. */
export function engineSecret(cipher: Cipher, name: string): string {
  return cipher.mac('engine', name);
}

/** Manages the installation's engines for the operator. The sandbox simulator is not included. */
export class EngineService {
  constructor(private readonly options: EngineServiceOptions) {}

  /** Returns the engines ordered by name. */
  async list(): Promise<readonly EngineView[]> {
    const rows = await this.options.engines.listWithLoad();
    return rows.filter(({ kind }) => kind !== 'simulator').map(view);
  }

  /** @throws HatifError VALIDATION_ERROR, also if the name is already taken. */
  async add(engine: NewEngine): Promise<Omit<EngineRow, 'password'>> {
    const kind = this.#checkKind(engine.kind);
    const row: ManagedEngine = {
      name: checkName(engine.name),
      kind,
      address: addressOf(kind, engine),
      password: this.options.cipher.seal(checkPassword(engine.password)),
      ...sipColumns(engine.sip),
      weight: checkCount('weight', engine.weight, MAX_WEIGHT),
      max_calls: engine.maxCalls === null ? null : checkCount('max_calls', engine.maxCalls, 1_000_000),
    };
    const added = await this.options.engines.add(row);
    if (!added) {
      throw invalidField('name', {
        en: `an engine ${row.name} already exists`,
        ar: arabic`يوجد محرّك باسم ${row.name}`,
      });
    }
    await this.options.announce();
    const { password: _, ...shown } = added;
    return shown;
  }

  /**
   * The secret that FreeSWITCH sends with its name when it requests accounts and addresses. It is derived from the
   * installation's secret and not stored.
   * @returns null if there is no FreeSWITCH engine of this name
   */
  async secretOf(name: string): Promise<string | null> {
    const found = await this.#find(name);
    return found?.kind === 'freeswitch' ? engineSecret(this.options.cipher, name) : null;
  }

  /**
   * Stops new calls on the engine; live calls continue until they end. @returns whether an engine of this name exists
   */
  drain(name: string): Promise<boolean> {
    return this.#setDraining(name, true);
  }

  /** Allows new calls again. @returns whether an engine of this name exists */
  resume(name: string): Promise<boolean> {
    return this.#setDraining(name, false);
  }

  /**
   * @returns `busy` while the engine has calls; `in settings` if a running process owns the engine because its settings
   * name it.
   */
  async remove(name: string): Promise<'removed' | 'unknown' | 'busy' | 'in settings'> {
    const found = await this.#find(name);
    if (!found) return 'unknown';
    if (!found.managed && found.leased) return 'in settings';
    if (!(await this.options.engines.remove(found.id))) return 'busy';
    await this.options.announce();
    return 'removed';
  }

  #checkKind(kind: string): EngineKind {
    const { kinds } = this.options;
    const found = kinds.find((one) => one === kind);
    if (found) return found;
    throw invalidField('kind', { en: `must be ${kinds.join(' or ')}`, ar: arabic`يجب أن يكون ${kinds.join(' أو ')}` });
  }

  async #setDraining(name: string, draining: boolean): Promise<boolean> {
    const found = await this.#find(name);
    if (!found) return false;
    await this.options.engines.setDraining(found.id, draining);
    await this.options.announce();
    return true;
  }

  async #find(name: string): Promise<EngineView | undefined> {
    return (await this.list()).find((engine) => engine.name === name);
  }
}

function sipColumns(text: string | null): Pick<EngineRow, 'sip_host' | 'sip_port'> {
  if (text === null) return { sip_host: null, sip_port: null };
  const { host, port } = parseSipAddress(text);
  return { sip_host: host, sip_port: port };
}

function checkName(name: string): string {
  if (!NAME.test(name)) {
    throw invalidField('name', {
      en: 'must be 1 to 64 letters, digits, dots, dashes or underscores',
      ar: 'يجب أن يتكوّن من 1 إلى 64 حرفًا أو رقمًا أو نقطة أو شرطة (`-`) أو شرطة سفلية (`_`)',
    });
  }
  if (!RESERVED.includes(name)) return name;
  throw invalidField('name', { en: 'is reserved for an engine of the platform', ar: 'محجوز لمحرّك من محرّكات المنصة' });
}

function addressOf(kind: EngineKind, { address, user, details, recordings }: NewEngine): EngineAddress {
  const paths = details === null ? {} : { details: checkPath('details', details) };
  if (kind === 'freeswitch') {
    const folder = recordings === null ? {} : { recordings: checkPath('recordings', recordings) };
    return { ...parseHostPort(address, 'address', EVENT_SOCKET_PORT), ...folder, ...paths };
  }
  if (recordings !== null) {
    throw invalidField('recordings', { en: 'is for FreeSWITCH only', ar: 'خاص بمحرّك FreeSWITCH فقط' });
  }
  return { url: checkUrl(address), user: checkUser(user), ...paths };
}

function checkPath(field: string, path: string): string {
  // An event socket command is one line of space-separated words.
  if (isAbsolute(path) && !/[\s'"{}[\],\p{Cc}]/u.test(path)) return path;
  throw invalidField(field, {
    en: 'must be an absolute path without spaces, quotes, commas or brackets',
    ar: 'يجب أن يكون مسارًا مطلقًا بلا مسافات أو علامات اقتباس أو فواصل أو أقواس',
  });
}

function checkUrl(text: string): string {
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

function checkPassword(password: string): string {
  if (password === '' || /[\r\n]/.test(password)) throw invalidField('password');
  return password;
}

function checkCount(field: string, value: number, max: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw invalidField(field, { en: `must be 1 to ${max}`, ar: arabic`يجب أن يكون من 1 إلى ${max}` });
}

function view({ password, ...shown }: EngineWithLoad): EngineView {
  return { ...shown, takes_calls: takesCalls(shown) };
}
