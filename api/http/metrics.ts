import { Counter, Histogram, type Registry } from 'prom-client';
import type { Exchange } from './exchange.js';

/** The API's metrics, in the process's registry. */
export class ApiMetrics {
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #errors: Counter;
  readonly #undeclared: Counter;

  constructor(readonly registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'hatif_http_requests_total',
      help: 'Requests answered, by route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'hatif_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#errors = new Counter({
      name: 'hatif_http_errors_total',
      help: 'Failed requests, by route and error code.',
      labelNames: ['route', 'code'],
      registers,
    });
    this.#undeclared = new Counter({
      name: 'hatif_http_undeclared_errors_total',
      help: 'Errors that a route returned although its definition does not declare them: bugs in Hatif.',
      labelNames: ['route', 'code'],
      registers,
    });
  }

  answered({ method, route, errorCode }: Exchange, status: number, durationMs: number): void {
    const template = route?.path ?? 'unmatched';
    // An unknown method must not become a label: a client could invent any number of them.
    const labels = { method: route?.method ?? (KNOWN.has(method) ? method : 'other'), route: template };
    this.#requests.inc({ ...labels, status: String(status) });
    this.#durations.observe(labels, durationMs / 1000);
    if (errorCode !== null) this.#errors.inc({ route: template, code: errorCode });
  }

  undeclared(route: string, code: string): void {
    this.#undeclared.inc({ route, code });
  }
}

const KNOWN: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
