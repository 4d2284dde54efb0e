import type { Application } from './application.js';
import type { Carrier } from './phones/carrier.js';
import type { Outage } from './judges/evidence.js';
import type { MatrixEngine, MatrixEnvironment } from './matrix-environment.js';

/** Something that is done to the platform during live calls, and undone again. */
export interface Disturbance {
  readonly what: Outage['what'];
  /** The engine that it is about; null: all of them. */
  readonly engine: string | null;
  readonly durationMs: number;
  /** @returns the names of the engines whose calls may notice */
  begin(): Promise<readonly string[]>;
  end(): Promise<void>;
}

/** A process and an engine are started again by whoever watches over them. */
const RESTART_AFTER_MS = 6_000;
/** Longer than it takes to notice, shorter than SIP repeats itself. */
const CUT_MS = 12_000;
/** Longer than a lease lasts. */
const STOPPED_MS = 20_000;

/** Every disturbance on every engine that it can meet. */
export function disturbancesOf(ground: MatrixEnvironment, carrier: Carrier): readonly Disturbance[] {
  const { engines, parts } = ground;
  const all = engines.map(({ name }) => name);
  const each = (make: (engine: MatrixEngine) => Disturbance): Disturbance[] => engines.map(make);
  const stopping = (what: 'redis' | 'database', part: 'redis' | 'postgres', affected: readonly string[]) => ({
    what,
    engine: null,
    durationMs: STOPPED_MS,
    async begin() {
      await parts[part].stop();
      return affected;
    },
    end: () => parts[part].start(),
  });
  return [
    ...each(({ name }) => killProcess(ground, name)),
    ...each((engine) => killEngine(engine, carrier)),
    ...each(({ name, control }) => ({
      what: 'control',
      engine: name,
      durationMs: CUT_MS,
      begin() {
        control.freeze();
        return Promise.resolve([name]);
      },
      end() {
        control.thaw();
        return Promise.resolve();
      },
    })),
    ...each(({ name, sip }) => ({
      what: 'sip',
      engine: name,
      durationMs: CUT_MS,
      begin() {
        sip.cut();
        carrier.cut(name);
        return Promise.resolve([name]);
      },
      end() {
        sip.restore();
        carrier.restore(name);
        return Promise.resolve();
      },
    })),
    stopping('redis', 'redis', []),
    stopping('database', 'postgres', all),
  ];
}

/** The one that owns the engine, and all that it owns, by kill -9. */
function killProcess(ground: MatrixEnvironment, engine: string): Disturbance {
  let killed: Application | undefined;
  return {
    what: 'process',
    engine,
    durationMs: RESTART_AFTER_MS,
    async begin() {
      const owners = await ownersOf(ground);
      const pid = owners.get(engine);
      killed = ground.processes.find((one) => one.pid === pid);
      if (!killed) throw new Error(`nobody owns ${engine}`);
      killed.kill();
      await killed.exited();
      return [...owners].filter(([, owner]) => owner === pid).map(([name]) => name);
    },
    end: async () => killed?.start(),
  };
}

function killEngine({ name, engine }: MatrixEngine, carrier: Carrier): Disturbance {
  return {
    what: 'engine',
    engine: name,
    durationMs: RESTART_AFTER_MS,
    begin() {
      engine.kill();
      carrier.engineDied(name);
      return Promise.resolve([name]);
    },
    end: () => engine.restart(),
  };
}

/** The process id of each engine's owner, where one holds it, reaches it, and it answers SIP. */
export async function ownersOf({ db, engines }: MatrixEnvironment): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ name: string; owner: string }>(
    `SELECT name, owner FROM engines
     WHERE status = 'up' AND sip_status = 'up' AND lease_expires_at > clock_timestamp() AND name = ANY ($1)`,
    [engines.map(({ name }) => name)],
  );
  return new Map(rows.map(({ name, owner }) => [name, Number(owner.split(':')[1])]));
}
