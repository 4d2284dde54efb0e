import type { Engines, EngineWithLoad, ManagedEngine } from '../../data/repositories/engines/engines.js';
import type { EngineRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import {
  ADDED_KINDS,
  ENGINE_KINDS,
  isTelephony,
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
  /** Tells the processes that own engines. */
  readonly announce: () => Promise<void>;
}

export interface NewEngine extends NewEngineAddress {
  /** Unique; what people call it. */
  readonly name: string;
  readonly kind: string;
  readonly password: string;
  /** `host` or `host:port` at which it takes SIP; null: nobody looks whether it does, and other engines do not reach its phones. */
  readonly sip: string | null;
  readonly weight: number;
  readonly maxCalls: number | null;
}

/** An engine without its password. */
export interface EngineView extends Omit<EngineWithLoad, 'password'> {
  readonly takes_calls: boolean;
}

const NAME = /^[\w.-]{1,64}$/;
const HEAVIEST = 1_000;

/** The names of the engines that settings and processes make known. */
export const SETTINGS_ENGINE = 'asterisk';
export const SANDBOX_ENGINE = 'sandbox';
const RESERVED = [SETTINGS_ENGINE, SANDBOX_ENGINE];

/** What a FreeSWITCH of this name shows when it asks. */
export function engineSecret(cipher: Cipher, name: string): string {
  return cipher.mac('engine', name);
}

/** The engines of the installation, as its operator knows them. The sandbox's is not among them. */
export class EngineService {
  constructor(private readonly options: EngineServiceOptions) {}

  /** By name. */
  async list(): Promise<readonly EngineView[]> {
    const rows = await this.options.engines.listWithLoad();
    return rows.filter(({ kind }) => isTelephony(kind)).map(view);
  }

  /** @throws HatifError VALIDATION_ERROR, also when the name is taken. */
  async add(engine: NewEngine): Promise<Omit<EngineRow, 'password'>> {
    const kind = checkKind(engine.kind);
    const row: ManagedEngine = {
      name: checkName(engine.name),
      kind,
      address: addressOf(kind, engine),
      password: this.options.cipher.seal(checkPassword(engine.password)),
      ...sipColumns(engine.sip),
      weight: checkCount('weight', engine.weight, HEAVIEST),
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
   * What FreeSWITCH has to show when it asks for accounts and addresses, beside the engine's name. It follows from the installation's
   * secret: nothing is kept.
   * @returns null where there is no FreeSWITCH of this name
   */
  async secretOf(name: string): Promise<string | null> {
    const found = await this.#find(name);
    return fetchesConfiguration(found) ? engineSecret(this.options.cipher, name) : null;
  }

  /** No new calls; the live ones end by themselves. @returns whether there is one of this name */
  drain(name: string): Promise<boolean> {
    return this.#setDraining(name, true);
  }

  /** New calls again. @returns whether there is one of this name */
  resume(name: string): Promise<boolean> {
    return this.#setDraining(name, false);
  }

  /** @returns `busy` while calls on it are not over; `in settings` where a process is told by its settings to own it. */
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
  throw invalidField('name', { en: 'is kept for an engine of the platform', ar: 'محجوز لمحرّك من محرّكات المنصة' });
}

function checkKind(kind: string): EngineKind {
  const found = ADDED_KINDS.find((one) => one === kind);
  if (found) return found;
  throw invalidField('kind', {
    en: `must be ${ADDED_KINDS.join(' or ')}`,
    ar: arabic`يجب أن يكون ${ADDED_KINDS.join(' أو ')}`,
  });
}

function addressOf(kind: EngineKind, engine: NewEngine): EngineAddress | null {
  return ENGINE_KINDS[kind].added?.read(engine) ?? null;
}

function fetchesConfiguration(engine: EngineView | undefined): boolean {
  return engine !== undefined && ENGINE_KINDS[engine.kind].added?.fetchesConfiguration === true;
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
