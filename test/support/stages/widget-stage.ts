import { expect } from 'chai';
import type { Route } from '../../../api/http/route.js';
import { widgetVisitRoutes } from '../../../api/routes/widgets/widget.js';
import { widgetRoutes } from '../../../api/routes/widgets/widgets.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Codes } from '../../../core/data/repositories/verification/codes.js';
import { Queues } from '../../../core/data/repositories/queues/queues.js';
import { Widgets } from '../../../core/data/repositories/accounts/widgets.js';
import type { WidgetRow } from '../../../core/data/rows.js';
import { spokenDigits } from '../../../core/model/spoken/index.js';
import { systemClock } from '../../../core/ports/clock.js';
import { SpeechError } from '../../../core/ports/speech.js';
import { MemoryRateLimiter, type RateLimiter } from '../../../core/services/access/rate-limit.js';
import { OneTimeCodes } from '../../../core/services/codes/one-time-codes.js';
import { SpokenCodes } from '../../../core/services/codes/spoken-codes.js';
import { EventFeed } from '../../../core/services/events/feed.js';
import { SendLimits, type SendingRules } from '../../../core/services/verify/limits.js';
import { CodeSender } from '../../../core/services/verify/sender.js';
import { WidgetAllowance, type WidgetLimits } from '../../../core/services/widgets/allowance.js';
import { WebSessions } from '../../../core/data/repositories/web-calling/sessions.js';
import { ManageWebSessions } from '../../../core/services/web-calling/sessions.js';
import { WidgetBrowserCalls } from '../../../core/services/widgets/browser-calls.js';
import { WidgetCallbacks } from '../../../core/services/widgets/callbacks.js';
import { WidgetCodes } from '../../../core/services/widgets/codes.js';
import { WidgetService } from '../../../core/services/widgets/manage.js';
import { ProofsOfWork, type Challenge, type Proof } from '../../../core/services/access/proofs-of-work.js';
import type { ChatLookup } from '../../../core/services/widgets/visitor.js';
import { StatusTokens } from '../../../core/services/widgets/status-token.js';
import { Search } from '../../../console/widget/search.js';
import { PAGE, type Answer } from '../api.js';
import { CallbackStage, type StageParts } from './callbacks.js';
import { CUSTOMER } from './call-controller.js';
import type { TestDatabase } from '../platform/database.js';
import { stageEach } from '../each.js';
import { TEST_CIPHER } from '../cipher.js';
import { quiet } from '../logger.js';

/** The limits of calls in ten minutes, for each IP address and each number. */
const LIMITS: WidgetLimits = {
  perAddress: 6,
  perNumber: 2,
  perWidget: 100,
  perProject: 300,
  blockedPrefixes: ['+96659999'],
};
/** The limits of verification. */
const RULES: SendingRules = {
  blockedPrefixes: LIMITS.blockedPrefixes,
  perRecipient: 5,
  perAddress: 20,
  perBlock: 100,
  fraudPercent: 10,
  fraudSends: 20,
};

/** The longest wait of a request for a callback's status. */
const PATIENCE_MS = 300;

/** Callbacks and widgets on one API: visitors of web pages, and two simulated engines. */
export class WidgetStage {
  private constructor(
    readonly callbacks: CallbackStage,
    readonly routes: readonly Route[],
    /** Services that are unavailable. */
    readonly away: { voice: boolean },
    /** Tests may change these limits, and the rules of sending. */
    readonly limits: WidgetLimits,
    readonly rules: SendingRules,
  ) {}

  /** @param limiter counts for all stages that it is given to; by default each counts for itself */
  static async start(database: TestDatabase, limiter?: RateLimiter): Promise<WidgetStage> {
    const routes: Route[] = [];
    const away = { voice: false };
    const [limits, rules] = [{ ...LIMITS }, { ...RULES }];
    const callbacks = await CallbackStage.start(database, undefined, undefined, (parts) => {
      routes.push(...routesOn(parts, { away, limits, rules, limiter: limiter ?? new MemoryRateLimiter(parts.clock) }));
      return routes;
    });
    return new WidgetStage(callbacks, routes, away, limits, rules);
  }

  /** A widget of the stage's project, for pages of {@link PAGE}. */
  widget(wanted: Parameters<CallbackStage['api']['widget']>[0] = {}): Promise<WidgetRow> {
    const { projectId, organizationId } = this.callbacks.phones.ground;
    return this.callbacks.api.widget({ projectId, organizationId, ...wanted });
  }

  /** Sends a request from a page with a widget. */
  ask(method: string, path: string, key: string, json?: object, origin: string | null = PAGE): Promise<Answer> {
    const separator = path.includes('?') ? '&' : '?';
    return this.callbacks.api.request(method, `/v1/widget/${path}${separator}key=${key}`, {
      ...(json && { json }),
      headers: origin === null ? {} : { origin },
    });
  }

  /** Requests a callback from a page. */
  request(key: string, json: object, origin: string | null = PAGE): Promise<Answer> {
    return this.ask('POST', 'callbacks', key, json, origin);
  }

  /** Requests a callback from a page; the request must be accepted. */
  async requested(key: string, json: object = { to: CUSTOMER }): Promise<Record<string, string>> {
    const answer = await this.request(key, json);
    expect(answer.status, answer.text).to.equal(202);
    return answer.body as Record<string, string>;
  }

  /** A new, unused proof. */
  async proof(key: string): Promise<Proof> {
    const { body } = await this.ask('GET', 'challenge', key);
    return solved(body as unknown as Challenge);
  }

  /** The code that the newest code call spoke, after its end. */
  async spokenCode(language: 'ar' | 'en'): Promise<string> {
    const { phones, database } = this.callbacks;
    const [call] = await database.db.query<{ id: string }>(
      `SELECT id FROM calls WHERE program->'spec'->>'type' = 'speak_code' AND project_id = $1 ORDER BY id DESC LIMIT 1`,
      [phones.ground.projectId],
    );
    if (!call) throw new Error('no call speaks a code');
    await phones.untilStatus(call.id, 'ended');
    const words = new Map(Array.from('0123456789', (digit) => [spokenDigits(digit, language), digit]));
    const digits = phones.said.map((text) => words.get(text) ?? '').join('');
    // Each code is spoken twice.
    return digits.slice(-6);
  }

  assertSound(): void {
    this.callbacks.assertSound();
  }

  close(): Promise<void> {
    return this.callbacks.close();
  }
}

/** `status CODE` for a refusal, `status STATUS` for a callback. */
export function outcome({ status, body }: Answer): string {
  return `${status} ${String(body?.error_code ?? body?.status)}`;
}

/** Solves a challenge as a browser does. */
export function solved({ maxnumber, ...challenge }: Challenge): Proof {
  const search = new Search({ ...challenge, maxnumber });
  while (search.step(10_000));
  if (search.found === null) throw new Error('the challenge has no solution');
  return { ...challenge, number: search.found };
}

function routesOn(
  { database: { db }, clock, place, callbacks, systemCall }: StageParts,
  { away, limits, rules, limiter }: Pick<WidgetStage, 'away' | 'limits' | 'rules'> & { readonly limiter: RateLimiter },
): Route[] {
  const cipher = TEST_CIPHER;
  const widgets = new Widgets(db);
  const proofs = new ProofsOfWork(widgets, clock, cipher);
  const service = new WidgetService({ widgets, agents: new Agents(db), queues: new Queues(db), clock });
  const rows = new Codes(db);
  const sending = new SendLimits({
    rules,
    limiter,
    scope: 'widget',
    conversion: (...asked) => rows.conversionOfWidgets(...asked),
    cipher,
    clock,
  });
  const allowance = new WidgetAllowance({ limiter, limits, sending, cipher, log: quiet });
  const oneTime = new OneTimeCodes({ codes: rows, cipher, clock });
  const speech = {
    languages: new Set(['ar', 'en'] as const),
    synthesize: (text: string) =>
      away.voice ? Promise.reject(new SpeechError('no voice')) : Promise.resolve(`/speech/${text}`),
  };
  const sender = new CodeSender({ codes: oneTime, spoken: new SpokenCodes(speech, systemCall, clock), channels: {} });
  const codes = new WidgetCodes({ codes: oneTime, rows, sender, proofs, allowance, cipher, clock });
  return [
    ...widgetRoutes({ widgets: service, publicUrl: () => 'https://voice.example' }),
    ...widgetVisitRoutes({
      proofs,
      codes,
      visitorChats: { isOffered: ({ row }) => row.chat },
      browserCalls: new WidgetBrowserCalls({
        sessions: new ManageWebSessions({
          sessions: new WebSessions(db),
          agents: new Agents(db),
          numbers: { findByE164: () => Promise.resolve(null) },
          limits: { perProject: 5, perIdentity: 5 },
          cipher,
          clock,
          announce: () => Promise.resolve(),
        }),
        proofs,
        allowance,
        chatOf,
        isOn: ({ flags }) => flags.web_calling ?? true,
      }),
      callbacks: new WidgetCallbacks({
        place,
        callbacks,
        proofs,
        codes,
        allowance,
        tokens: new StatusTokens(cipher, clock),
        feed: new EventFeed({ db, clock: systemClock, log: quiet, pollMs: 20 }),
        clock: systemClock,
        chatOf,
        waitMs: PATIENCE_MS,
      }),
    }),
  ];
}

/** A token names the conversation, and after a blank the agent who has it. */
const chatOf: ChatLookup = (_, token) => {
  const [threadId = '', agent = null] = token.split(' ');
  return Promise.resolve({ threadId, agent });
};

/** For a `describe`: a new stage for each test, on one database for all tests; calls `assertSound` after each test. */
export function widgetEach(
  use: (stage: WidgetStage) => void,
  start = (database: TestDatabase) => WidgetStage.start(database),
): void {
  stageEach(start, use, async (stage) => {
    stage.assertSound();
    await stage.close();
  });
}
