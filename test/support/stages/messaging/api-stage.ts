import type { Answer, TestApi } from '../../api.js';
import { succeeded } from '../../judges/succeeded.js';

/** Requests of a test to the API of its stage. */
export abstract class ApiStage {
  abstract readonly api: TestApi;

  request(key: string, method: string, path: string, json?: object): Promise<Answer> {
    return this.api.request(method, `/v1${path}`, { key, ...(json && { json }) });
  }

  /** Sends a request, which must succeed. */
  async good(key: string, method: string, path: string, json?: object): Promise<Record<string, unknown>> {
    return succeeded(await this.request(key, method, path, json));
  }

  /** Sends a request that should be refused. @returns `status CODE path`; the path is that of the first detail */
  async refused(key: string, method: string, path: string, json?: object): Promise<string> {
    const { status, body } = await this.request(key, method, path, json);
    const [detail] = (body?.details ?? []) as { path: string }[];
    return `${status} ${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
  }
}
