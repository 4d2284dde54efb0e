import { deepStrictEqual } from 'node:assert/strict';
import autocannon from 'autocannon';
import { request } from 'undici';
import { CpuMeter } from './cpu.js';

const CONNECTIONS = 16;
const WARM_UP_SECONDS = 4;
const ROUNDS = 5;
const ROUND_SECONDS = 3;

/** One of those that are asked for the same page in turn. */
export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Round {
  /** Requests per second. */
  readonly rate: number;
  /** Of the server, per request. */
  readonly cpuMs: number;
}

/**
 * Asks each server for its first page of calls, which must be the same, as often as it answers. They take turns, so that
 * what disturbs the machine disturbs all of them.
 * @returns the rounds of each server
 * @throws Error if a request fails, or a page differs
 */
export async function inTurns(servers: readonly Server[]): Promise<Round[][]> {
  const [first, ...others] = await Promise.all(servers.map(firstPage));
  for (const other of others) deepStrictEqual(other, first, 'all servers return the same page');
  for (const server of servers) await measure(server, WARM_UP_SECONDS);
  const rounds: Round[][] = servers.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, server] of servers.entries()) rounds[index]?.push(await measure(server, ROUND_SECONDS));
  }
  return rounds;
}

async function firstPage({ url, headers }: Server): Promise<unknown> {
  const response = await request(`${url}/v1/calls`, { headers });
  const page = (await response.body.json()) as { readonly data?: unknown };
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}: ${JSON.stringify(page)}`);
  return page.data;
}

async function measure({ name, pid, url, headers }: Server, seconds: number): Promise<Round> {
  const meter = new CpuMeter({ server: pid });
  const result = await autocannon({ url: `${url}/v1/calls`, headers, connections: CONNECTIONS, duration: seconds });
  const wrong = result.non2xx + result.errors + result.timeouts;
  if (wrong > 0) throw new Error(`${name}: ${wrong} requests failed`);
  const rate = result.requests.total / result.duration;
  const cpuMs = (meter.read().server ?? 0) / result.requests.total;
  const { p50, p99 } = result.latency;
  console.log(`  ${name}: ${rate.toFixed(0)}/s, p50 ${p50} ms, p99 ${p99} ms, CPU ${cpuMs.toFixed(2)} ms per request`);
  return { rate, cpuMs };
}
