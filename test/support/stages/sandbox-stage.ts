import { newSigningSecret } from '../../../core/services/webhooks/secret.js';
import { ask, type Answer } from '../api.js';
import { TEST_CIPHER } from '../cipher.js';
import { eventually } from '../eventually.js';
import { barePlatform, type BarePlatform } from '../platform/bare-platform.js';
import { groundIn, type Ground } from '../rows/rows.js';

type Members = Readonly<Record<string, unknown>>;

const ENVIRONMENT = { RATE_LIMIT_SANDBOX_PER_MINUTE: '100000', NUMBER_RANGES: '+966115551000-+966115551999' };

/** A whole platform whose only engine is the simulator, and a project with a live and a sandbox key. */
export class SandboxStage {
  private constructor(
    readonly bare: BarePlatform,
    readonly ground: Ground,
    readonly liveKey: string,
    readonly sandboxKey: string,
  ) {}

  static async open(): Promise<SandboxStage> {
    const bare = await barePlatform('api,engine', ENVIRONMENT);
    const { db } = bare.database;
    await eventually(() => bare.platform.engine?.isReady === true, 'the simulator is connected');
    const ground = await groundIn(db);
    const { projectId } = ground;
    await db.query(`UPDATE projects SET signing_secret = $2 WHERE id = $1`, [
      projectId,
      TEST_CIPHER.seal(newSigningSecret()),
    ]);
    const key = async (kind: 'live' | 'sandbox'): Promise<string> =>
      (await bare.platform.management.keys.create({ projectId, name: kind, kind })).key;
    return new SandboxStage(bare, ground, await key('live'), await key('sandbox'));
  }

  /** @returns a sandbox key of another organization */
  static async neighbour({ bare }: SandboxStage): Promise<string> {
    const { projectId } = await groundIn(bare.database.db);
    return (await bare.platform.management.keys.create({ projectId, name: 'sandbox', kind: 'sandbox' })).key;
  }

  close(): Promise<void> {
    return this.bare.close();
  }

  request(key: string, method: string, path: string, json?: unknown): Promise<Answer> {
    const body = json instanceof FormData ? { raw: json } : json === undefined ? {} : { json };
    return ask(this.bare.platform.api?.url ?? '', method, path, { key, ...body });
  }

  /** Asks with the sandbox key; the answer must be a success. */
  sandbox(method: string, path: string, json?: unknown): Promise<Members> {
    return this.#succeed(this.sandboxKey, method, path, json);
  }

  /** Asks with the live key; the answer must be a success. */
  live(method: string, path: string, json?: unknown): Promise<Members> {
    return this.#succeed(this.liveKey, method, path, json);
  }

  /** The status of an answer, and its error code. */
  async code(key: string, method: string, path: string, json?: unknown): Promise<string> {
    const { status, body } = await this.request(key, method, path, json);
    const code = body?.error_code;
    return typeof code === 'string' ? `${status} ${code}` : String(status);
  }

  /** The `data` of a list. */
  async list(key: string, path: string): Promise<readonly Members[]> {
    return (await this.#succeed(key, 'GET', path)).data as readonly Members[];
  }

  /** A number in the sandbox, proved by a letter. @returns its ID */
  async sandboxNumber(number: string): Promise<string> {
    const { id } = await this.sandbox('POST', '/v1/numbers/own-did', { number, method: 'letter' });
    const claim = await this.sandbox('POST', `/v1/numbers/own-did/${String(id)}/letter`, letterForm());
    return String(claim.number_id);
  }

  /** An active flow of the sandbox. @returns its ID */
  async sandboxFlow(nodes: Readonly<Record<string, object>>, start = Object.keys(nodes)[0]): Promise<string> {
    const json = { name: 'flow', kind: 'graph', definition: { start, nodes } };
    const { id } = await this.sandbox('POST', '/v1/callflows', json);
    await this.sandbox('POST', `/v1/callflows/${String(id)}/activate`);
    return String(id);
  }

  /** The call once it has this status. */
  untilStatus(callId: string, status: string): Promise<Members> {
    let last: Members | undefined;
    return eventually(
      async () => {
        last = (await this.request(this.sandboxKey, 'GET', `/v1/calls/${callId}`)).body;
        return last?.status === status && last;
      },
      () => `the call is ${status}: ${JSON.stringify(last)}`,
    );
  }

  /** The types of the call's events in order. */
  async eventTypes(callId: string): Promise<string[]> {
    const sql = `SELECT type FROM events WHERE call_id = $1 AND sandbox ORDER BY sequence`;
    return (await this.bare.database.db.query<{ type: string }>(sql, [callId])).map(({ type }) => type);
  }

  async #succeed(key: string, method: string, path: string, json?: unknown): Promise<Members> {
    const { status, text, body = {} } = await this.request(key, method, path, json);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return body;
  }
}

const PDF = '%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n';

export function letterForm(fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([PDF]), 'letter.pdf');
  return form;
}
