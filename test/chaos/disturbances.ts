import type { Application } from './application.js';
import type { Carrier } from './phones/carrier.js';
import type { Outage } from './judges/evidence.js';
import type { MatrixEngine, MatrixEnvironment } from './matrix-environment.js';

/** A failure that is injected during live calls and ended again. */
export interface Disturbance {
  readonly what: Outage['what'];
  /** The affected engine; null: all engines. */
  readonly engine: string | null;
  readonly durationMs: number;
  /** When it happens; missing: at any moment. */
  readonly moment?: { readonly name: string; readonly reached: () => boolean };
  /** @returns the names of the engines whose calls may be affected */
  begin(): Promise<readonly string[]>;
  end(): Promise<void>;
}

/** A process supervisor would restart a process or an engine after this time. */
const RESTART_AFTER_MS = 6_000;
/** Longer than detection takes, shorter than the period in which SIP retransmits. */
const CUT_MS = 12_000;
/** Longer than a lease is valid. */
const STOPPED_MS = 20_000;

/** Every disturbance, for every engine that it can affect. */
export function disturbancesOf(environment: MatrixEnvironment, carrier: Carrier): readonly Disturbance[] {
  const { engines, parts } = environment;
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
  const cutControl = ({ name, control }: MatrixEngine): Disturbance => ({
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
  });
  return [
    ...each(({ name }) => killProcess(environment, name)),
    ...each((engine) => killEngine(engine, carrier)),
    ...each(cutControl),
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
    // Such a call may be answered, and even end, while the processes do not reach the engine.
    ...each((engine) => ({
      ...cutControl(engine),
      moment: { name: 'while a phone rings', reached: () => carrier.rings(engine.name) },
    })),
  ];
}

/** Kills the process (SIGKILL) that owns the engine; every engine that it owns is affected. */
function killProcess(environment: MatrixEnvironment, engine: string): Disturbance {
  let killed: Application | undefined;
  return {
    what: 'process',
    engine,
    durationMs: RESTART_AFTER_MS,
    async begin() {
      const owners = await ownersOf(environment);
      const pid = owners.get(engine);
      killed = environment.processes.find((one) => one.pid === pid);
      if (!killed) throw new Error(`no process owns ${engine}`);
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

/** The process id of each engine's owner. An engine without a valid lease, connection or SIP response is left out. */
export async function ownersOf({ db, engines }: MatrixEnvironment): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ name: string; owner: string }>(
    `SELECT name, owner FROM engines
     WHERE status = 'up' AND sip_status = 'up' AND lease_expires_at > clock_timestamp() AND name = ANY ($1)`,
    [engines.map(({ name }) => name)],
  );
  return new Map(rows.map(({ name, owner }) => [name, Number(owner.split(':')[1])]));
}
