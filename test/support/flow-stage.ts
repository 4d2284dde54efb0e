import { callflowRoutes } from '../../api/routes/callflows.js';
import { numberBindingRoutes } from '../../api/routes/number-binding.js';
import type { Route } from '../../api/http/route.js';
import type { AuthenticatedKey } from '../../core/services/access/authenticated-key.js';
import { systemClock } from '../../core/ports/clock.js';
import { openCallflows } from '../../main/callflows.js';
import type { Stores } from '../../main/stores.js';
import { TEST_CIPHER } from './cipher.js';
import { quiet } from './logger.js';
import { numberStage } from './number-stage.js';

/** Call flows and bindings on a database, without anything outside. */
export interface FlowStage {
  readonly stores: Stores;
  readonly routes: readonly Route[];
  /** What was spoken ahead. */
  readonly spoken: string[];
  close(): Promise<void>;
}

export function flowStage(databaseUrl: string): FlowStage {
  const numbers = numberStage(databaseUrl, {}, 5);
  const { stores } = numbers;
  const spoken: string[] = [];
  const unused = (): Promise<never> => Promise.reject(new Error('is not used'));
  const { service: callflows } = openCallflows({
    stores,
    cipher: TEST_CIPHER,
    http: { problemOf: () => null, post: unused, close: () => Promise.resolve() },
    media: { pathOf: (id) => `/audio/${id}` },
    speech: {
      languages: new Set(['ar', 'en']),
      synthesize: (text) => {
        spoken.push(text);
        return Promise.resolve(`/speech/${text}`);
      },
    },
    verify: { start: unused, check: unused },
    consent: { announcement: () => Promise.resolve([]) },
    announce: () => Promise.resolve(),
    clock: systemClock,
    log: quiet,
  });
  const hasGraphs = ({ organization }: AuthenticatedKey): boolean => organization.flags.graph_callflows ?? true;
  return {
    stores,
    spoken,
    routes: [...callflowRoutes({ callflows, hasGraphs }), ...numberBindingRoutes({ numbers: numbers.service })],
    close: () => numbers.close(),
  };
}
