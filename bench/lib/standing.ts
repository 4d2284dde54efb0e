import type { Api } from './api.js';
import { CALLEE, CALLER } from './api.js';
import type { Application } from './application.js';
import { Disturbance } from './disturbance.js';
import type { TestBed } from './test-bed.js';
import { paced } from './paced.js';
import { call, stay, type SippRun } from './sipp.js';

/** Calls must reach the expected status within this time. */
const SOON_MS = 10_000;
const POLL_MS = 100;

export interface Wanted {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** sipp ends the other parties after this time in any case. */
  readonly limitSeconds: number;
}

/** Answered calls that last until they are ended. */
export interface StandingCalls {
  readonly callIds: readonly string[];
  /** @throws Disturbance if a call is no longer answered */
  check(): Promise<void>;
  /** Hangs up the calls through the API; resolves when the application has recorded the end of each. */
  end(): Promise<void>;
}

/**
 * Places calls through the API to callees that answer at once, stay, and echo the audio that they hear.
 * @param request further members of the request, for example `play`
 * @throws Disturbance if not all calls could be established
 */
export async function placeStanding(
  testBed: TestBed,
  application: Application,
  api: Api,
  { calls, callsPerSecond, limitSeconds }: Wanted,
  request: object = {},
): Promise<StandingCalls> {
  const { mediaPort, engine } = testBed;
  const { port } = engine.peers.trunk;
  const callees = stay(testBed.sipp, { port, mediaPort, calls, limitSeconds });
  const place = (): Promise<unknown> => api.post('/v1/calls', { to: CALLEE, caller_id_number: CALLER, ...request });
  return established(testBed, application, api, callsPerSecond, callees, async (since) => {
    await callees.ready;
    const refused = await paced(calls, callsPerSecond, place);
    if (refused > 0) throw new Disturbance(`${refused} of ${calls} requests were refused`);
    return callsSince(application, since, calls);
  });
}

/**
 * Makes inbound calls to an application started with `stays` ({@link startApplication}).
 * @throws Disturbance if not all calls could be established
 */
export async function callInStanding(
  testBed: TestBed,
  application: Application,
  api: Api,
  { calls, callsPerSecond, limitSeconds }: Wanted,
): Promise<StandingCalls> {
  const peer = testBed.engine.peers.trunk;
  const callers = call(testBed.sipp, {
    port: peer.port,
    remote: peer.sip,
    number: application.line,
    calls,
    callsPerSecond,
    limitSeconds,
    receiveTimeoutMs: limitSeconds * 1000,
  });
  return established(testBed, application, api, callsPerSecond, callers, (since) =>
    callsSince(application, since, calls, (calls / callsPerSecond) * 1000),
  );
}

async function established(
  testBed: TestBed,
  application: Application,
  api: Api,
  callsPerSecond: number,
  parties: SippRun,
  start: (since: Date) => Promise<readonly string[]>,
): Promise<StandingCalls> {
  const endParties = async (): Promise<void> => {
    parties.stop();
    await testBed.quiet();
  };
  try {
    const callIds = await start(new Date());
    await waitForStatus(application, callIds, 'answered', SOON_MS);
    return {
      callIds,
      check: () => waitForStatus(application, callIds, 'answered', 0),
      async end() {
        const remaining = callIds.values();
        const hangUp = (): Promise<unknown> => api.post(`/v1/calls/${remaining.next().value}/hangup`);
        await paced(callIds.length, callsPerSecond, hangUp);
        await waitForStatus(application, callIds, 'ended', SOON_MS).finally(endParties);
      },
    };
  } catch (error) {
    await endParties();
    throw error;
  }
}

/** The ids of the calls that started after `since`, as soon as the application has stored `calls` of them. */
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
    if (performance.now() > deadline) throw new Disturbance(`${rows.length} of ${calls} calls started`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Waits until all calls have the status. @throws Disturbance with the actual statuses after a timeout */
async function waitForStatus(
  application: Application,
  callIds: readonly string[],
  status: string,
  withinMs: number,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const statuses = await statusesOf(application, callIds);
    if (statuses.every((row) => row.status === status)) return;
    if (performance.now() > deadline) {
      const counts = statuses.map((row) => `${row.count} ${row.status}`).join(', ');
      throw new Disturbance(`not all of ${callIds.length} calls are ${status}: ${counts}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
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
