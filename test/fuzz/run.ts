import { openApiDocument } from '../../api/http/openapi.js';
import type { Route } from '../../api/http/route.js';
import type { Database } from '../../core/data/database.js';
import { Random } from '../chaos/random.js';
import { ask, testApi, type Answer, type TestApi } from '../support/api.js';
import { envelopeProblems } from '../support/judges/route-contract.js';
import { scimProblems } from '../support/judges/scim.js';
import { addAdministrator } from '../support/rows/administrators.js';
import { addScimToken } from '../support/rows/scim-token.js';
import { barePlatform } from '../support/platform/bare-platform.js';
import { operationsOf, type Operation } from './operations.js';
import { requestTo, type FuzzRequest, type Keys } from './requests.js';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
}

export interface FuzzReport {
  readonly sent: number;
  /** Requests that passed the checks before the handler. */
  readonly reached: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Operations that no request reached. */
  readonly unreached: readonly string[];
  /** One line for each wrong answer: a 5xx that the operation does not describe, a broken envelope, a wrong schema. */
  readonly faults: readonly string[];
}

const PROJECTS = 4;
const SESSIONS = 15;
const ADMINISTRATORS = 12;
const KNOWN_IDS = 400;
const ANSWER_MS = 20_000;
const PARALLEL = 4;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Sends random requests to every operation of the API document, on a platform with a database of its own. */
export async function fuzz({ seed, requests }: FuzzOptions): Promise<FuzzReport> {
  const bare = await barePlatform('api');
  const reached = new Map<string, number>();
  const api = await testApi({
    db: bare.database.db,
    routes: bare.platform.api!.routes.map((route) => counted(route, reached)),
  });
  try {
    return await new Fuzzer(api, bare.platform.api!.routes, await keysOf(api, bare.database.db), seed).run(
      requests,
      reached,
    );
  } finally {
    await api.close();
    await bare.close();
  }
}

function counted(route: Route, reached: Map<string, number>): Route {
  return {
    ...route,
    handle: (ctx) => {
      reached.set(route.operationId, (reached.get(route.operationId) ?? 0) + 1);
      return route.handle(ctx);
    },
  };
}

async function keysOf(api: TestApi, db: Database): Promise<Keys> {
  const owners = await Promise.all(Array.from({ length: PROJECTS }, () => api.owner()));
  const keys = (kind: 'live' | 'sandbox'): Promise<string[]> =>
    Promise.all(owners.map(async ({ projectId }) => (await api.key({ projectId, kind })).key));
  return {
    live: await keys('live'),
    sandbox: await keys('sandbox'),
    widget: (await api.widget({ ...owners[0]!, otp: false })).key,
    sessions: await Promise.all(
      owners.flatMap(({ organizationId }) => Array.from({ length: SESSIONS }, () => api.session(organizationId))),
    ),
    administrators: await Promise.all(Array.from({ length: ADMINISTRATORS }, () => addAdministrator(db))),
    directories: await Promise.all(owners.map(({ organizationId }) => addScimToken(db, organizationId))),
  };
}

class Fuzzer {
  readonly #operations: readonly Operation[];
  readonly #document: unknown;
  readonly #random: Random;
  readonly #ids: string[] = [];
  readonly #statuses: Record<string, number> = {};
  readonly #faults: string[] = [];

  constructor(
    private readonly api: TestApi,
    routes: readonly Route[],
    private readonly keys: Keys,
    seed: number,
  ) {
    this.#document = openApiDocument({ routes, version: '1', serverUrl: '' });
    this.#operations = operationsOf(this.#document);
    this.#random = new Random(seed);
  }

  async run(requests: number, reached: ReadonlyMap<string, number>): Promise<FuzzReport> {
    let next = 0;
    const sender = async (): Promise<void> => {
      while (next < requests) {
        const operation = this.#operations[next++ % this.#operations.length]!;
        await this.#try(operation);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, sender));
    return {
      sent: next,
      reached: [...reached.values()].reduce((sum, count) => sum + count, 0),
      statuses: this.#statuses,
      unreached: this.#operations.map(({ operationId }) => operationId).filter((id) => !reached.has(id)),
      faults: [...this.#faults, ...this.api.faults],
    };
  }

  async #try(operation: Operation): Promise<void> {
    const source = { random: this.#random, ids: this.#ids, document: this.#document };
    const request = requestTo(operation, source, this.keys);
    const answer = await this.#answerTo(request).catch((error: unknown) => error as Error);
    if (answer instanceof Error) {
      this.#faults.push(`${described(request)}: no answer: ${answer.message}`);
      return;
    }
    this.#statuses[answer.status] = (this.#statuses[answer.status] ?? 0) + 1;
    if (answer.status < 400) this.#remember(answer.text);
    else
      this.#faults.push(...this.#problemsOf(operation, answer).map((problem) => `${described(request)}: ${problem}`));
  }

  #answerTo({ method, path, options }: FuzzRequest): Promise<Answer> {
    return ask(this.api.url, method, path, { ...options, timeoutMs: ANSWER_MS });
  }

  #remember(text: string): void {
    this.#ids.push(...(text.slice(0, 20_000).match(UUID) ?? []).slice(0, 10));
    this.#ids.splice(0, Math.max(0, this.#ids.length - KNOWN_IDS));
  }

  #problemsOf(operation: Operation, answer: Answer): string[] {
    if (operation.keyKind === 'scim') {
      return [...(answer.status >= 500 ? [String(answer.status)] : []), ...scimProblems(answer)];
    }
    if (operation.isPage(answer.status) && answer.headers.get('content-type')?.startsWith('text/html') === true)
      return [];
    const code = String(answer.body?.error_code);
    const isUnexpected =
      answer.status >= 500 && (code === 'INTERNAL_ERROR' || !operation.describes(answer.status, code));
    return [...(isUnexpected ? [`${answer.status} ${code}`] : []), ...envelopeProblems(answer, this.api)];
  }
}

function described({ method, path, options }: FuzzRequest): string {
  const { json, raw, headers } = options;
  const parts = [`${method} ${path}`, ...(headers ? [JSON.stringify(headers)] : [])];
  if (json !== undefined) parts.push(JSON.stringify(json));
  if (typeof raw === 'string') parts.push(raw);
  return parts.map((part) => part.slice(0, 600)).join(' ');
}
