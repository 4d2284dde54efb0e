import type { Router } from 'express';
import type { Cipher } from '../../core/model/access/cipher.js';
import type { ErrorCode, HatifError } from '../../core/model/errors/index.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { AuditLog } from '../../core/services/access/audit.js';
import type { Authenticator } from '../../core/services/access/authenticate.js';
import type { Idempotency } from '../../core/services/access/idempotency.js';
import type { MemoryRateLimiter, RateLimiter } from '../../core/services/access/rate-limit.js';
import type { WidgetGate } from '../../core/services/widgets/gate.js';
import type { Lifecycle } from './lifecycle.js';
import type { ApiMetrics } from './metrics.js';
import type { Route } from './route.js';

export interface ApiLimits {
  readonly sandboxPerMinute: number;
  readonly livePerMinute: number;
  readonly addressPerMinute: number;
  /** Requests of one address with one widget. */
  readonly widgetPerMinute: number;
}

/** Watches what routes answer; tests make a fault of what production only logs and counts. */
export interface ApiObserver {
  /** A code was answered by a route. */
  errorProduced?(code: ErrorCode, route: Route): void;
  /** A route answered a code that its definition does not list. */
  undeclaredError?(error: HatifError, route: Route): void;
  /** When set, each JSON answer is compared with the schema of its status. */
  responseMismatch?(route: Route, status: number, problem: string): void;
}

export interface ApiDeps {
  readonly routes: readonly Route[];
  /** What is served beside the routes: pages, probes. */
  readonly routers?: readonly Router[];
  readonly authenticator: Authenticator;
  readonly widgets: WidgetGate;
  /** Origins of web pages that may use API keys, as core/model/access/origin.ts reads them; the platform's own pages may always. */
  readonly allowedOrigins: readonly string[];
  /** Counts per key; shared by all processes. */
  readonly rateLimiter: RateLimiter;
  /** Counts per address, in this process, before anything else is looked at. */
  readonly addressLimiter: MemoryRateLimiter;
  readonly limits: ApiLimits;
  readonly idempotency: Idempotency;
  readonly audit: AuditLog;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ApiMetrics;
  readonly lifecycle: Lifecycle;
  /** The environment's flags; an organization's own go over them. */
  readonly flags: Readonly<Record<string, boolean>>;
  /** Where clients reach the API, without a slash at the end: `http://127.0.0.1:8080`. */
  readonly publicUrl: () => string;
  /** Proxies whose X-Forwarded-For is believed: addresses, CIDR ranges, `loopback`. */
  readonly trustProxy?: readonly string[];
  readonly observer?: ApiObserver;
}
