import type { Engines, EngineWithLoad, ManagedEngine } from '../../data/repositories/engines/engines.js';
import type { EngineRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import {
  ENGINE_KINDS,
  isTelephony,
  LIVE_KINDS,
  webSocketOf,
  type EngineAddress,
  type EngineKind,
  type NewEngineAddress,
} from '../../model/engine-kinds.js';
import { invalidField } from '../../model/errors/index.js';
import { parseSipAddress } from '../../model/host-port.js';
import { arabic } from '../../model/wording/wording.js';
import { takesCalls } from './choice.js';

export interface EngineServiceOptions {
  readonly engines: Engines;
  readonly cipher: Cipher;
  /** Notifies the processes that own engines. */
  readonly announce: () => Promise<void>;
}

export interface NewEngine extends NewEngineAddress {
  /** Unique display name. */
  readonly name: string;
  readonly kind: string;
  readonly password: string;
  /**
   * The SIP address, `host` or `host:port`. Null: SIP is not probed, and other engines cannot reach the phones on this
   * one.
   */
  readonly sip: string | null;
  /** `ws://…` or `wss://…`, where it accepts SIP over WebSocket; null: as its address says, or not at all. */
  readonly wsUrl: string | null;
  readonly weight: number;
  readonly maxCalls: number | null;
}

/** An engine without its password; `ws_url` is where it takes browsers, also if its address says so. */
export interface EngineView extends Omit<EngineWithLoad, 'password'> {
  readonly takes_calls: boolean;
}

const NAME = /^[\w.-]{1,64}$/;
const MAX_WEIGHT = 1_000;

/** Names of the engines that the settings or the processes register. */
export const SETTINGS_ENGINE = 'asterisk';
export const SANDBOX_ENGINE = 'sandbox';
const RESERVED = [SETTINGS_ENGINE, SANDBOX_ENGINE];

/** Why an engine is not removed, by the outcome of {@link EngineService.remove}. */
export const ENGINE_IN_USE = {
  busy: { en: 'still has calls; drain the engine first', ar: 'ما زالت لديه مكالمات؛ أوقف المكالمات الجديدة عليه أولًا' },
  'in settings': {
    en: 'is in the settings of a running process',
    ar: 'مذكور في إعدادات عملية قيد التشغيل',
  },
};

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
    return rows.filter(({ kind }) => isTelephony(kind)).map(view);
  }

  /** @throws HatifError VALIDATION_ERROR, also if the name is already taken. */
  async add(engine: NewEngine): Promise<Omit<EngineRow, 'password'>> {
    const kind = checkKind(engine.kind);
    const row: ManagedEngine = {
      name: checkName(engine.name),
      kind,
      address: addressOf(kind, engine),
      password: this.options.cipher.seal(checkPassword(engine.password)),
      ...sipColumns(engine.sip),
      ws_url: checkWebSocket(engine.wsUrl),
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
    return { ...shown, ws_url: webSocketOf(added) };
  }

  /**
   * The secret that FreeSWITCH sends with its name when it requests accounts and addresses. It is derived from the
   * installation's secret and not stored.
   * @returns null if there is no FreeSWITCH engine of this name
   */
  async secretOf(name: string): Promise<string | null> {
    const found = await this.#find(name);
    return fetchesConfiguration(found) ? engineSecret(this.options.cipher, name) : null;
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

function checkKind(kind: string): EngineKind {
  const found = LIVE_KINDS.find((one) => one === kind);
  if (found) return found;
  throw invalidField('kind', {
    en: `must be ${LIVE_KINDS.join(' or ')}`,
    ar: arabic`يجب أن يكون ${LIVE_KINDS.join(' أو ')}`,
  });
}

function addressOf(kind: EngineKind, engine: NewEngine): EngineAddress | null {
  return ENGINE_KINDS[kind]?.read(engine) ?? null;
}

function fetchesConfiguration(engine: EngineView | undefined): boolean {
  return engine !== undefined && ENGINE_KINDS[engine.kind]?.fetchesConfiguration === true;
}

function checkPassword(password: string): string {
  if (password === '' || /[\r\n]/.test(password)) throw invalidField('password');
  return password;
}

function checkWebSocket(url: string | null): string | null {
  if (url === null) return null;
  if (URL.canParse(url)) {
    const { protocol, username, password } = new URL(url);
    if (/^wss?:$/.test(protocol) && username === '' && password === '') return url;
  }
  throw invalidField('ws_url', {
    en: 'must be ws://host:port or wss://host:port',
    ar: 'يجب أن يكون بالصيغة `ws://host:port` أو `wss://host:port`',
  });
}

function checkCount(field: string, value: number, max: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw invalidField(field, { en: `must be 1 to ${max}`, ar: arabic`يجب أن يكون من 1 إلى ${max}` });
}

function view({ password, ...shown }: EngineWithLoad): EngineView {
  return { ...shown, ws_url: webSocketOf(shown), takes_calls: takesCalls(shown) };
}
