import type { Api } from './api.js';
import { CALLEE, CALLER } from './api.js';
import type { Application } from './application.js';
import { Disturbance } from './disturbance.js';
import type { Ground } from './ground.js';
import { paced } from './paced.js';
import { call, stay, type SippRun } from './sipp.js';

/** What was begun comes about within this time. */
const SOON_MS = 10_000;
const LOOK_EVERY_MS = 100;

export interface Wanted {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** However it goes, the other parties are gone after this time. */
  readonly limitSeconds: number;
}

/** Answered calls that stay. */
export interface StandingCalls {
  readonly callIds: readonly string[];
  /** @throws Disturbance unless each of them is answered still. */
  check(): Promise<void>;
  /** Hangs them up by the API; resolves when the application has written down the end of each. */
  end(): Promise<void>;
}

/**
 * Places calls through the API to callees that answer at once, stay, and send back what they hear.
 * @param request what the application is to do in each, beside being there. @throws Disturbance when not all could be established
 */
export async function placeStanding(
  ground: Ground,
  application: Application,
  api: Api,
  { calls, callsPerSecond, limitSeconds }: Wanted,
  request: object = {},
): Promise<StandingCalls> {
  const { mediaPort, engine } = ground;
  const { port } = engine.doors.trunk;
  const callees = stay(ground.sipp, { port, mediaPort, calls, limitSeconds });
  const place = (): Promise<unknown> => api.post('/v1/calls', { to: CALLEE, caller_id_number: CALLER, ...request });
  return established(ground, application, api, callsPerSecond, callees, async (since) => {
    await callees.ready;
    const refused = await paced(calls, callsPerSecond, place);
    if (refused > 0) throw new Disturbance(`${refused} of ${calls} requests were refused`);
    return callsSince(application, since, calls);
  });
}

/** Calls in at an application that stays ({@link startApplication}). @throws Disturbance when not all could be established */
export async function callInStanding(
  ground: Ground,
  application: Application,
  api: Api,
  { calls, callsPerSecond, limitSeconds }: Wanted,
): Promise<StandingCalls> {
  const door = ground.engine.doors.trunk;
  const callers = call(ground.sipp, {
    port: door.port,
    remote: door.sip,
    number: application.line,
    calls,
    callsPerSecond,
    limitSeconds,
    patienceMs: limitSeconds * 1000,
  });
  return established(ground, application, api, callsPerSecond, callers, (since) =>
    callsSince(application, since, calls, (calls / callsPerSecond) * 1000),
  );
}

async function established(
  ground: Ground,
  application: Application,
  api: Api,
  callsPerSecond: number,
  parties: SippRun,
  begin: (since: Date) => Promise<readonly string[]>,
): Promise<StandingCalls> {
  const away = async (): Promise<void> => {
    parties.stop();
    await ground.quiet();
  };
  try {
    const callIds = await begin(new Date());
    await reach(application, callIds, 'answered', SOON_MS);
    return {
      callIds,
      check: () => reach(application, callIds, 'answered', 0),
      async end() {
        const left = callIds.values();
        const hangUp = (): Promise<unknown> => api.post(`/v1/calls/${left.next().value}/hangup`);
        await paced(callIds.length, callsPerSecond, hangUp);
        await reach(application, callIds, 'ended', SOON_MS).finally(away);
      },
    };
  } catch (error) {
    await away();
    throw error;
  }
}

/** The ids of so many calls that began since then, once the application has written down all of them. */
async function callsSince(
  { db, projectId }: Application,
  since: Date,
  calls: number,
  withinMs = 0,
): Promise<readonly string[]> {
  const deadline = performance.now() + withinMs + SOON_MS;
  for (;;) {
    const { rows } = await db.query<{ id: string }>('SELECT id FROM calls WHERE project_id = $1 AND created_at >= $2', [
      projectId,
      since,
    ]);
    if (rows.length === calls) return rows.map(({ id }) => id);
    if (performance.now() > deadline) throw new Disturbance(`${rows.length} of ${calls} calls began`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Looks until all of the calls have the status, or the time is up. @throws Disturbance then, with the statuses that they have */
async function reach(
  application: Application,
  callIds: readonly string[],
  status: string,
  withinMs: number,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const statuses = await statusesOf(application, callIds);
    if (statuses.every((one) => one.status === status)) return;
    if (performance.now() > deadline) {
      const counts = statuses.map((one) => `${one.count} ${one.status}`).join(', ');
      throw new Disturbance(`of ${callIds.length} calls that were to be ${status} there are ${counts}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function statusesOf(
  { db }: Application,
  callIds: readonly string[],
): Promise<readonly { readonly status: string; readonly count: number }[]> {
  const { rows } = await db.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM calls WHERE id = ANY ($1::uuid[]) GROUP BY status',
    [callIds],
  );
  return rows;
}
