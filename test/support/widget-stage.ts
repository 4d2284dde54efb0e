import type { Route } from '../../api/http/route.js';
import { widgetVisitRoutes } from '../../api/routes/widget.js';
import { widgetRoutes } from '../../api/routes/widgets.js';
import { Agents } from '../../core/data/repositories/agents.js';
import { Queues } from '../../core/data/repositories/queues.js';
import { Widgets } from '../../core/data/repositories/widgets.js';
import type { WidgetRow } from '../../core/data/rows.js';
import { Cipher } from '../../core/model/cipher.js';
import { systemClock } from '../../core/ports/clock.js';
import { MemoryRateLimiter } from '../../core/services/access/rate-limit.js';
import { EventFeed } from '../../core/services/events/feed.js';
import { WidgetAllowance } from '../../core/services/widgets/allowance.js';
import { WidgetCallbacks } from '../../core/services/widgets/callbacks.js';
import { WidgetService } from '../../core/services/widgets/manage.js';
import { WidgetProofs, type Challenge, type Proof } from '../../core/services/widgets/proofs.js';
import { StatusTokens } from '../../core/services/widgets/status-token.js';
import { Search } from '../../console/widget/search.js';
import { PAGE, type Answer } from './api.js';
import { CallbackStage, type StageParts } from './callbacks.js';
import type { TestDatabase } from './database.js';
import { stageEach } from './each.js';
import { quiet } from './logger.js';

/** Telephones rung in ten minutes: for one address, and each telephone. */
export const LIMITS = { perAddress: 6, perNumber: 2 };
/** How long somebody who follows a callback is kept waiting. */
const PATIENCE_MS = 300;

/** Callbacks and widgets on one API: visitors of web pages, and two simulated engines. */
export class WidgetStage {
  private constructor(
    readonly callbacks: CallbackStage,
    readonly routes: readonly Route[],
  ) {}

  static async start(database: TestDatabase): Promise<WidgetStage> {
    const routes: Route[] = [];
    const callbacks = await CallbackStage.start(database, undefined, undefined, (parts) => {
      routes.push(...routesOn(parts));
      return routes;
    });
    return new WidgetStage(callbacks, routes);
  }

  /** A widget of the stage's project, for pages of {@link PAGE}. */
  widget(wanted: Parameters<CallbackStage['api']['widget']>[0] = {}): Promise<WidgetRow> {
    const { projectId, organizationId } = this.callbacks.phones.ground;
    return this.callbacks.api.widget({ projectId, organizationId, ...wanted });
  }

  /** A page of a widget asks the platform. */
  ask(method: string, path: string, key: string, json?: object, origin: string | null = PAGE): Promise<Answer> {
    const separator = path.includes('?') ? '&' : '?';
    return this.callbacks.api.request(method, `/v1/widget/${path}${separator}key=${key}`, {
      ...(json && { json }),
      headers: origin === null ? {} : { origin },
    });
  }

  /** A proof that was not handed in yet. */
  async proof(key: string): Promise<Proof> {
    const { body } = await this.ask('GET', 'challenge', key);
    return solved(body as unknown as Challenge);
  }

  assertSound(): void {
    this.callbacks.assertSound();
  }

  close(): Promise<void> {
    return this.callbacks.close();
  }
}

/** What a browser makes of a challenge. */
export function solved({ maxnumber, ...challenge }: Challenge): Proof {
  const search = new Search({ ...challenge, maxnumber });
  while (search.step(10_000));
  if (search.found === null) throw new Error('the challenge has no solution');
  return { ...challenge, number: search.found };
}

function routesOn({ database: { db }, clock, place, callbacks }: StageParts): Route[] {
  const cipher = new Cipher('a secret for tests, thirty-two characters');
  const widgets = new Widgets(db);
  const proofs = new WidgetProofs(widgets, clock, cipher);
  const service = new WidgetService({ widgets, agents: new Agents(db), queues: new Queues(db), clock });
  return [
    ...widgetRoutes({ widgets: service, publicUrl: () => 'https://voice.example' }),
    ...widgetVisitRoutes({
      proofs,
      callbacks: new WidgetCallbacks({
        place,
        callbacks,
        proofs,
        allowance: new WidgetAllowance(new MemoryRateLimiter(clock), LIMITS, cipher),
        tokens: new StatusTokens(cipher, clock),
        feed: new EventFeed({ db, clock: systemClock, log: quiet, pollMs: 20 }),
        clock: systemClock,
        patienceMs: PATIENCE_MS,
      }),
    }),
  ];
}

/** In a `describe`: each test has a stage of its own, on one database for all of them, that must have been sound. */
export function widgetEach(use: (stage: WidgetStage) => void): void {
  stageEach(
    (database) => WidgetStage.start(database),
    use,
    async (stage) => {
      stage.assertSound();
      await stage.close();
    },
  );
}
