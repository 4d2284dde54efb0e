import type { Api } from './api.js';
import { CALLEE, CALLER } from './api.js';
import type { Application } from './application.js';
import { Disturbance } from './disturbance.js';
import type { Ground } from './ground.js';
import { paced } from './paced.js';
import { stay } from './sipp.js';

const ANSWERED_WITHIN_MS = 10_000;
const ENDED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 50;

export interface Wanted {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** What the application is to do in each, beside being there. */
  readonly request?: object;
  /** However it goes, the callees are gone after this time. */
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

/** Places calls through the API to callees that answer at once and stay. @throws Disturbance when not all could be established */
export async function placeStanding(
  ground: Ground,
  application: Application,
  api: Api,
  { calls, callsPerSecond, request, limitSeconds }: Wanted,
): Promise<StandingCalls> {
  const callees = stay(ground.sipp, {
    port: ground.ports.trunk,
    mediaPort: ground.ports.media,
    calls,
    limitSeconds,
  });
  const callIds: string[] = [];
  const place = async (): Promise<void> => {
    const call = await api.post('/v1/calls', { to: CALLEE, caller_id_number: CALLER, ...request });
    callIds.push((call as { readonly call_id: string }).call_id);
  };
  const standing: StandingCalls = {
    callIds,
    check: () => reach(application, callIds, 'answered', 0),
    async end() {
      const left = callIds.values();
      await paced(callIds.length, callsPerSecond, async () => {
        await api.post(`/v1/calls/${left.next().value}/hangup`);
      });
      await reach(application, callIds, 'ended', ENDED_WITHIN_MS);
      callees.stop();
      await ground.quiet();
    },
  };
  try {
    await callees.ready;
    const refused = await paced(calls, callsPerSecond, place);
    if (refused > 0) throw new Disturbance(`${refused} of ${calls} requests were refused`);
    await reach(application, callIds, 'answered', ANSWERED_WITHIN_MS);
    return standing;
  } catch (error) {
    callees.stop();
    await ground.quiet();
    throw error;
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
