import { violatedUnique } from '../../data/errors.js';
import type { TrunkStateRow, TrunkStates } from '../../data/repositories/engines/trunk-states.js';
import type { Trunks } from '../../data/repositories/engines/trunks.js';
import type { TrunkRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { TrunkState } from '../../model/trunks/state.js';
import { arabic } from '../../model/wording/wording.js';
import type { Clock } from '../../ports/clock.js';
import { auditOf, type ChangedBy } from './change-audit.js';
import { checkTogether, columnsOf, NEW_TRUNK, type TrunkColumns, type TrunkSettings } from './settings.js';

export interface TrunkServiceOptions {
  readonly trunks: Trunks;
  readonly states: Pick<TrunkStates, 'list'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  /** Notifies the processes that own engines that the trunks changed, so that they push the change. */
  readonly announce: () => Promise<void>;
}

export interface NewTrunk extends TrunkSettings {
  /** Unique display name. */
  readonly name: string;
  readonly uri: string;
}

/** A trunk without its password. */
export type TrunkView = Omit<TrunkRow, 'password'>;

/** A trunk, and what engines find when they probe it. */
export interface WatchedTrunk extends TrunkView {
  /**
   * `up` if it answers at least one engine, `down` if it answers none; `unknown` before the first result, `not_probed`,
   * and `off` for one that is not enabled.
   */
  readonly state: TrunkState | 'not_probed' | 'off';
  readonly engines: readonly Pick<TrunkStateRow, 'engine' | 'state' | 'since'>[];
}

const NAME = /^[\w.-]{1,64}$/;

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
      const probed = trunk.probed ? overallState(engines) : 'not_probed';
      return {
        ...trunk,
        state: trunk.enabled ? probed : 'off',
        engines: engines.map(({ engine, state, since }) => ({ engine, state, since })),
      };
    });
  }

  /** @throws HatifError VALIDATION_ERROR, also if the name is already taken. */
  async add({ name, ...settings }: NewTrunk, by: ChangedBy = 'command'): Promise<TrunkView> {
    if (!NAME.test(name)) {
      throw invalidField('name', {
        en: 'must be 1 to 64 letters, digits, dots, dashes or underscores',
        ar: 'يجب أن يتكوّن من 1 إلى 64 حرفًا أو رقمًا أو نقطة أو شرطة (`-`) أو شرطة سفلية (`_`)',
      });
    }
    const { trunks, cipher, clock, announce } = this.options;
    const columns = columnsOf(settings, null, cipher);
    const others = await trunks.list();
    const row = {
      ...NEW_TRUNK,
      is_default: !others.some((other) => other.is_default),
      ...columns,
      ...{ id: newId(), name, created_at: clock.now() },
    } as TrunkRow;
    checkTogether(row);
    const audit = auditOf(by, { command: 'add', path: '/trunks', details: noted(name, columns) }, row.created_at);
    try {
      await trunks.create(row, audit);
    } catch (error) {
      if (violatedUnique(error) !== 'trunks_name') throw error;
      throw invalidField('name', { en: `a trunk ${name} already exists`, ar: arabic`يوجد خط ربط باسم ${name}` });
    }
    await announce();
    return view(row);
  }

  /**
   * Changes the settings that are given; the others stay. Calls in progress continue.
   * @throws HatifError NOT_FOUND, VALIDATION_ERROR
   */
  async change(name: string, settings: TrunkSettings, by: ChangedBy = 'command'): Promise<TrunkView> {
    const { trunks, cipher, clock, announce } = this.options;
    const trunk = (await trunks.list()).find((other) => other.name === name);
    if (!trunk) throw unknownTrunk(name);
    const columns = columnsOf(settings, trunk, cipher);
    checkTogether({ ...trunk, ...columns });
    const command = { command: 'set', path: pathOf(name), details: noted(name, columns) };
    const changed = await trunks.change(trunk.id, columns, auditOf(by, command, clock.now()));
    if (!changed) throw unknownTrunk(name);
    await announce();
    return view(changed);
  }

  /** Deletes a trunk, with its routes and rates. Calls in progress continue. @returns whether a trunk of this name existed */
  async remove(name: string, by: ChangedBy = 'command'): Promise<boolean> {
    const { trunks, clock, announce } = this.options;
    const trunk = (await trunks.list()).find((other) => other.name === name);
    if (!trunk) return false;
    const audit = auditOf(by, { command: 'remove', path: pathOf(name), details: {} }, clock.now());
    if (!(await trunks.remove(trunk.id, audit))) return false;
    await announce();
    return true;
  }
}

/** What the audit log gets to know about changed columns: everything but the credentials themselves. */
function noted(name: string, { username, password, ...columns }: Partial<TrunkColumns>): Record<string, unknown> {
  const credentials = password === undefined ? {} : { credentials: password === null ? 'removed' : 'set' };
  return { name, ...columns, ...credentials };
}

function pathOf(name: string): string {
  return `/trunks/${name}`;
}

export function unknownTrunk(name: string): HatifError {
  return new HatifError('NOT_FOUND', { what: { en: `the trunk ${name}`, ar: arabic`خط الربط ${name}` } });
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
