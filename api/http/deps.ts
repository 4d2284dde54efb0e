import type { Router } from 'express';
import type { Cipher } from '../../core/model/access/cipher.js';
import type { ErrorCode, HatifError } from '../../core/model/errors/index.js';
import type { Clock } from '../../core/ports/clock.js';
import type { Logger } from '../../core/ports/logger.js';
import type { AccessTokens } from '../../core/services/access/access-tokens.js';
import type { AuditLog } from '../../core/services/access/audit.js';
import type { Authenticator } from '../../core/services/access/authenticate.js';
import type { Idempotency } from '../../core/services/access/idempotency.js';
import type { MemoryRateLimiter, RateLimiter } from '../../core/services/access/rate-limit.js';
import type { CustomerNumbers } from '../../core/services/calls/customer-numbers.js';
import type { SignedInAdministrator } from '../../core/services/administration/signed-in.js';
import type { ScimGate } from '../../core/services/scim/gate.js';
import type { WidgetGate } from '../../core/services/widgets/gate.js';
import type { Lifecycle } from './lifecycle.js';
import type { ApiMetrics } from './metrics.js';
import type { Route } from './route.js';

export interface ApiLimits {
  readonly sandboxPerMinute: number;
  readonly livePerMinute: number;
  /** Requests of one signed-in user. */
  readonly userPerMinute: number;
  readonly addressPerMinute: number;
  /** Requests of one address with one widget. */
  readonly widgetPerMinute: number;
}

/** Observes the answers of routes. Tests fail on what production only logs and counts. */
export interface ApiObserver {
  /** A route returned an error. */
  errorProduced?(code: ErrorCode, route: Route): void;
  /** A route returned an error code that its definition does not declare. */
  undeclaredError?(error: HatifError, route: Route): void;
  /** If set, each JSON answer is compared with the schema of its status. */
  responseMismatch?(route: Route, status: number, problem: string): void;
}

/** Admits administrators of the installation. */
export interface AdministratorGate {
  /** @throws HatifError ADMIN_UNAUTHORIZED, INVALID_API_KEY, INSUFFICIENT_PERMISSIONS */
  authenticate(authorization: string | undefined, ip: string, isOnThisMachine: boolean): Promise<SignedInAdministrator>;
}

export interface ApiDeps {
  readonly routes: readonly Route[];
  /** Pages and probes. */
  readonly routers?: readonly Router[];
  readonly authenticator: Authenticator;
  readonly accessTokens: AccessTokens;
  /** Null: there are no administrators. */
  readonly administrators: AdministratorGate | null;
  /** Admits directories that provision organizations. */
  readonly directories: Pick<ScimGate, 'authenticate'>;
  readonly widgets: WidgetGate;
  /**
   * Origins of web pages that may use API keys, in the form of core/model/access/origin.ts. The platform's own pages
   * are always allowed.
   */
  readonly allowedOrigins: readonly string[];
  /** Counts per key; shared by all processes. */
  readonly rateLimiter: RateLimiter;
  /** Counts per address, in this process. */
  readonly addressLimiter: MemoryRateLimiter;
  readonly limits: ApiLimits;
  readonly idempotency: Idempotency;
  /** Folder in which uploaded files wait while their requests are served. */
  readonly spool: string;
  readonly audit: AuditLog;
  readonly customerNumbers: CustomerNumbers;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ApiMetrics;
  readonly lifecycle: Lifecycle;
  /** The environment's flags; an organization's own flags override them. */
  readonly flags: Readonly<Record<string, boolean>>;
  /** Base URL for clients, without a trailing slash: `http://127.0.0.1:8080`. */
  readonly publicUrl: () => string;
  /** Proxies whose X-Forwarded-For is trusted: addresses, CIDR ranges, `loopback`. */
  readonly trustProxy?: readonly string[];
  readonly observer?: ApiObserver;
}
