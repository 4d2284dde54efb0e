import { readSettings } from '../../../config/read-settings.js';
import { systemClock, type Clock } from '../../../core/ports/clock.js';
import { numberRoutes } from '../../../api/routes/numbers/numbers.js';
import { portingRoutes } from '../../../api/routes/numbers/porting.js';
import type { Route } from '../../../api/http/route.js';
import { openNumbering, type Numbering } from '../../../main/wiring/numbering.js';
import { openStorages } from '../../../main/wiring/storages.js';
import { openStores, type Stores } from '../../../main/wiring/stores.js';
import { quiet } from '../logger.js';

/** Number services on a database, with a clock that tests can advance by days. */
export interface NumberStage extends Numbering {
  readonly stores: Stores;
  readonly routes: readonly Route[];
  /** Advances the clock by days. */
  pass(days: number): void;
  close(): Promise<void>;
}

export function numberStage(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  poolSize = 20,
): NumberStage {
  let passedMs = 0;
  const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + passedMs) };
  const stores = openStores(databaseUrl, poolSize);
  const settings = readSettings(environment);
  const numbering = openNumbering({
    stores,
    storages: openStorages(settings),
    settings,
    announce: () => Promise.resolve(),
    clock,
    log: quiet,
  });
  return {
    ...numbering,
    stores,
    routes: [...numberRoutes(numbering), ...portingRoutes(numbering)],
    pass(days) {
      passedMs += days * 86_400_000;
    },
    close: () => stores.db.close(),
  };
}
