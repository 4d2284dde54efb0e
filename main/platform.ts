import type { ApiObserver } from '../api/http/deps.js';
import type { Settings } from '../config/settings.js';
import type { Cipher } from '../core/model/access/cipher.js';
import type { Logger } from '../core/ports/logger.js';
import type { ProgramFactory } from '../core/services/call-state/program.js';
import { Closers } from '../core/services/runtime/closers.js';
import type { EngineRole } from './engines/engine-role.js';
import { endCalls } from './engines/end-calls.js';
import type { Parts } from './install/parts.js';
import type { ApiRole } from './roles/api-role.js';
import { startRoles } from './roles/roles.js';
import { openInfrastructure } from './wiring/infrastructure.js';
import type { Management } from './wiring/management.js';
import { openServices } from './wiring/services.js';
import type { Stores } from './wiring/stores.js';

export interface PlatformOptions {
  readonly settings: Settings;
  readonly parts: Parts;
  readonly cipher: Cipher;
  readonly log: Logger;
  /** For tests: watches the API's responses. */
  readonly observer?: ApiObserver;
  /** For measurements: replaces the programs of calls. */
  readonly programs?: (own: ProgramFactory) => ProgramFactory;
}

export interface Platform {
  readonly stores: Stores;
  readonly management: Management;
  /** Null if this process does not serve the API. */
  readonly api: ApiRole | null;
  /** Null if this process does not own engines. */
  readonly engine: EngineRole | null;
  /**
   * Accepts no new calls, waits up to `drainMs` for live calls to end, then stops. Calls that are still live are hung
   * up if `hangUp` is true; otherwise they continue in their engines until the next owner takes them over. If another
   * process owns or requests the engines, now or during the wait, it gets the engines at once with all their calls:
   * none is rejected, waited for or hung up.
   * @returns true if another process has taken over the engines
   */
  stop(drainMs: number, hangUp: boolean): Promise<boolean>;
  /** Makes a stop, even one in progress, neither wait for calls nor hang them up: the next start takes them over. */
  leaveCalls(): void;
}

/** How long a process that waits for the engines may take to acquire them. */
const SUCCESSOR_MS = 10_000;

/**
 * Starts the platform in this process in three steps: infrastructure, services, roles. Each step registers how to close
 * what it opened, so that a stop, and a start that fails, close everything in reverse order.
 * @param options.parts databases and engines, which must be running already
 */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const closers = new Closers();
  let [stopping, leaving] = [false, false];
  try {
    const infrastructure = await openInfrastructure(options, closers);
    const services = await openServices(infrastructure, closers);
    const { observer, programs } = options;
    const { api, engine } = await startRoles(
      infrastructure,
      services,
      { isStopping: () => stopping, ...(observer && { observer }), ...(programs && { programs }) },
      closers,
    );
    const { stores, clock } = infrastructure;
    return {
      stores,
      management: services.management,
      api,
      engine,
      async stop(drainMs, hangUp) {
        stopping = true;
        const answered = api?.stop();
        const successor = engine && (await endCalls(engine, { drainMs, hangUp, clock, isLeaving: () => leaving }));
        // Running requests reach the engines through the successor, so the handover does not wait for them.
        if (successor !== 'another process') await answered;
        await engine?.stop();
        const taken = successor === 'another process' && engine !== null && (await engine.isTaken(SUCCESSOR_MS));
        await closers.close();
        return taken;
      },
      leaveCalls() {
        leaving = true;
      },
    };
  } catch (error) {
    await closers.close().catch(() => undefined);
    throw error;
  }
}
