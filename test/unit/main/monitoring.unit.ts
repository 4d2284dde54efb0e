import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Metric } from 'prom-client';
import { parse } from 'yaml';
import { ApiMetrics } from '../../../api/http/metrics.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { mediaQuality } from '../../../core/model/call/quality.js';
import { fraudObserver } from '../../../main/metrics/fraud-metrics.js';
import { openMetrics } from '../../../main/metrics/metrics.js';
import { registerPartMetrics, type PartMetricsOptions } from '../../../main/metrics/part-metrics.js';
import { paymentObserver } from '../../../main/metrics/payment-metrics.js';
import { queueObserver, registerQueueGauges } from '../../../main/metrics/queue-metrics.js';
import { registerWebCalling, type WebCallingMetricsOptions } from '../../../main/metrics/web-calling-metrics.js';
import { callRow, engineRow, legRow } from '../../support/rows/rows.js';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly runbook_url: string };
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset']);
/** Labels that Prometheus adds to every series, and to histograms. */
const GIVEN_LABELS = ['job', 'instance', 'le'];
const HISTOGRAM = /_(?:bucket|sum|count)$/;

/** The metrics of a PromQL expression, each with the labels that the expression matches. */
function metricsIn(expr: string): { name: string; labels: string[] }[] {
  const bare = expr
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ');
  const found = bare.matchAll(
    /\b(?<name>[a-zA-Z_:][\w:]*)\b(?!\s*\()(?:\{(?<matchers>[^}]*)\})?(?=(?:[^"]*"[^"]*")*[^"]*$)/g,
  );
  return [...found]
    .map(({ groups }) => ({
      name: groups!.name!,
      labels: [...(groups!.matchers ?? '').matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"[^"]*"/g)].map((match) => match[1]!),
    }))
    .filter(({ name }) => !WORDS.has(name));
}

/** The labels by which an expression groups. */
function groupedBy(expr: string): string[] {
  const lists = [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].map((match) => match[1]!);
  return lists.flatMap((list) => list.split(',').map((label) => label.trim()));
}

function parts(changes: Partial<PartMetricsOptions> = {}): Omit<PartMetricsOptions, 'registry'> {
  return {
    checks: { database: () => Promise.resolve('up'), redis: () => Promise.resolve('up') },
    engines: () => Promise.resolve([{ ...engineRow({ name: 'asterisk', owner: 'me' }), leased: true }]),
    trunks: () => Promise.resolve([]),
    trunkFigures: () => Promise.resolve([]),
    certificates: () => Promise.resolve([]),
    backlog: () => Promise.resolve({ pending: 3, oldestDueSeconds: 1.5 }),
    isStopping: () => false,
    ...changes,
  };
}

const RELAYS = [
  { url: 'turn:turn1.example.com', region: 'riyadh', isUp: true },
  { url: 'turns:turn2.example.com', region: null, isUp: false },
];

function webCalling(changes: Partial<WebCallingMetricsOptions> = {}): Omit<WebCallingMetricsOptions, 'registry'> {
  return {
    sockets: () => 2,
    sessions: () => Promise.resolve({ pending: 1, active: 3 }),
    relays: () => Promise.resolve(RELAYS),
    ...changes,
  };
}

describe('monitoring', () => {
  const rules = (parse(read('config/monitoring/alert-rules.yml')) as Rules).groups.flatMap((group) => group.rules);
  const dashboard = JSON.parse(read('config/monitoring/grafana-dashboard.json')) as Dashboard;
  const panels = dashboard.panels.filter(({ targets }) => targets !== undefined);
  const { registry } = openMetrics();
  new ApiMetrics(registry);
  const edge = { reachesDrachtio: () => true, isRelaying: () => true, hasCertificate: () => Promise.resolve(true) };
  registerPartMetrics({ registry, ...parts({ edge }) });
  paymentObserver(registry);
  fraudObserver(registry);
  registerWebCalling({ registry, ...webCalling() });
  queueObserver(registry, () => Promise.resolve(null));
  registerQueueGauges({
    registry,
    queues: () => Promise.resolve([]),
    coordinator: { known: () => null },
    clock: systemClock,
  });

  /** The labels of an exported metric; undefined if no metric has this name. */
  const labelsOf = (name: string): readonly string[] | undefined => {
    if (name === 'up') return [];
    const metric = registry.getSingleMetric(name) ?? registry.getSingleMetric(name.replace(HISTOGRAM, ''));
    return (metric as (Metric & { readonly labelNames: readonly string[] }) | undefined)?.labelNames;
  };

  const expressions = [
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets }) => targets!.map(({ expr }) => [title, expr] as const)),
  ];

  it('is parsed correctly: the test finds each metric of an expression', () => {
    expect(
      metricsIn('sum by (le) (rate(a_bucket{route!~".*stream", x="b c"}[5m])) > 1 or d unless e{f="g"} offset 1h'),
    ).to.deep.equal([
      { name: 'a_bucket', labels: ['route', 'x'] },
      { name: 'd', labels: [] },
      { name: 'e', labels: ['f'] },
    ]);
  });

  it('has rules and panels', () => {
    expect(rules).to.have.length.above(15);
    expect(panels).to.have.length.above(20);
  });

  for (const [where, expr] of expressions) {
    it(`uses only exported metrics and labels in ${where}: ${expr.slice(0, 60)}`, () => {
      const found = metricsIn(expr);
      expect(found).to.have.length.above(0);
      const known = [...GIVEN_LABELS];
      for (const { name, labels } of found) {
        const own = labelsOf(name);
        expect(own, `the metric ${name}`).not.to.equal(undefined);
        known.push(...own!);
        expect([...GIVEN_LABELS, ...own!]).to.include.members(labels);
      }
      expect(known).to.include.members(groupedBy(expr));
    });
  }

  it('has a page for each alert, and no page without an alert', () => {
    const folder = 'docs/how-to/alerts';
    const pages = readdirSync(new URL(`../../../${folder}`, import.meta.url)).flatMap((file) =>
      [...read(`${folder}/${file}`).matchAll(/^### (Hatif\w+)$/gm)].map(
        ([, alert = '']) => `${folder}/${file}#${alert.toLowerCase()}`,
      ),
    );
    expect(rules.map(({ annotations }) => annotations.runbook_url)).to.have.members(pages);
    for (const { alert, annotations, labels } of rules) {
      expect(annotations.runbook_url).to.match(new RegExp(`#${alert.toLowerCase()}$`));
      expect(labels.severity).to.be.oneOf(['critical', 'warning']);
    }
  });

  it('shows panels that do not cover each other', () => {
    const taken = new Map<string, string>();
    for (const { title, gridPos } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.get(`${x},${y}`), title).to.equal(undefined);
          taken.set(`${x},${y}`, title);
          expect(x, title).to.be.lessThan(24);
        }
      }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).to.equal(dashboard.panels.length);
  });
});

describe('metrics of the quality of calls', () => {
  it('count each measured leg, and only its measured values', async () => {
    const metrics = openMetrics();
    const call = callRow({ organizationId: newId(), projectId: newId(), engineId: newId() }, { status: 'ended' });
    const facts = { codec: 'alaw', packetsSent: 90, packetsReceived: 90, packetsLost: 10 };
    const quality = mediaQuality({ ...facts, jitterMs: 12, roundTripMs: null });
    metrics.calls('pbx').finished(call, [legRow(call.id, { quality }), legRow(call.id)]);
    const exported = (await metrics.registry.metrics()).split('\n');
    expect(exported).to.include.members([
      'hatif_leg_mos_count{engine="pbx"} 1',
      'hatif_leg_mos_bucket{le="3.5",engine="pbx"} 1',
      'hatif_leg_packet_loss_ratio_sum{engine="pbx"} 0.1',
      'hatif_leg_jitter_seconds_sum{engine="pbx"} 0.012',
    ]);
    expect(exported.filter((line) => line.startsWith('hatif_leg_round_trip_seconds_count'))).to.deep.equal([]);
  });
});

describe('metrics of web calling', () => {
  const lines = async (changes: Partial<WebCallingMetricsOptions> = {}): Promise<string[]> => {
    const { registry, webConnected } = openMetrics();
    registerWebCalling({ registry, ...webCalling(changes) });
    for (const outcome of ['connected', 'connected', 'WCS_EXPIRED'] as const) webConnected(outcome);
    return (await registry.metrics()).split('\n').filter((line) => /^hatif_(web|turn)_/.test(line));
  };

  it('count connections, sessions, requests to connect, and TURN servers that answer', async () => {
    expect(await lines()).to.have.members([
      'hatif_web_sockets 2',
      'hatif_web_sessions{status="pending"} 1',
      'hatif_web_sessions{status="active"} 3',
      'hatif_web_connects_total{outcome="connected"} 2',
      'hatif_web_connects_total{outcome="WCS_EXPIRED"} 1',
      'hatif_turn_up{url="turn:turn1.example.com",region="riyadh"} 1',
      'hatif_turn_up{url="turns:turn2.example.com",region=""} 0',
    ]);
  });

  it('omit the sessions while the database is away', async () => {
    const exported = await lines({ sessions: () => Promise.reject(new Error('away')) });
    expect(exported.filter((line) => line.startsWith('hatif_web_sessions'))).to.deep.equal([]);
  });
});

describe('metrics of the parts', () => {
  const lines = async (changes: Partial<PartMetricsOptions>): Promise<string[]> => {
    const { registry } = openMetrics();
    registerPartMetrics({ registry, ...parts(changes) });
    return (await registry.metrics()).split('\n');
  };

  it('report the state of all parts', async () => {
    expect(await lines({})).to.include.members([
      'hatif_ready 1',
      'hatif_part_up{part="database"} 1',
      'hatif_part_up{part="redis"} 1',
      'hatif_engine_owned{engine="asterisk",kind="asterisk"} 1',
      'hatif_engine_up{engine="asterisk",kind="asterisk"} 1',
      'hatif_webhook_deliveries_pending 3',
      'hatif_webhook_oldest_due_seconds 1.5',
    ]);
  });

  it('report the trunks that answer and those that do not, and nothing of the others', async () => {
    const state = { trunk_id: newId(), engine: 'pbx', since: new Date() };
    const trunks = [
      { ...state, trunk: 'a', state: 'up' },
      { ...state, trunk: 'b', state: 'down' },
      { ...state, trunk: 'c', state: 'unknown' },
    ] as const;
    const exported = await lines({ trunks: () => Promise.resolve(trunks) });
    expect(exported.filter((line) => line.startsWith('hatif_trunk_up{'))).to.deep.equal([
      'hatif_trunk_up{trunk="a",engine="pbx"} 1',
      'hatif_trunk_up{trunk="b",engine="pbx"} 0',
    ]);
  });

  it('report the outcome of the calls through each trunk, and omit what nothing was measured of', async () => {
    const none = { live_calls: 0, attempts: 0, answered: 0, failed: 0, rerouted: 0, talk_seconds: 0 };
    const unknown = { capacity: null, asr: null, acd_seconds: null, pdd_seconds: null, mos: null };
    const counted = { capacity: 30, live_calls: 2, attempts: 4, answered: 3, failed: 1, talk_seconds: 90 };
    const measured = { asr: 0.75, acd_seconds: 30, pdd_seconds: 1.5, mos: 4.2 };
    const figures = [
      { ...none, trunk_id: newId(), trunk: 'a', ...counted, ...measured },
      { ...none, trunk_id: newId(), trunk: 'b', ...unknown },
    ];
    const exported = await lines({ trunkFigures: () => Promise.resolve(figures) });
    const shown = exported.flatMap((line) => /^hatif_trunk_(.*\{.*)$/.exec(line)?.[1] ?? []);
    expect(shown).to.have.members([
      ...['calls_live{trunk="a"} 2', 'calls_live{trunk="b"} 0', 'capacity{trunk="a"} 30'],
      ...['attempts{trunk="a"} 4', 'attempts{trunk="b"} 0', 'answered{trunk="a"} 3', 'answered{trunk="b"} 0'],
      ...['failed{trunk="a"} 1', 'failed{trunk="b"} 0', 'asr_ratio{trunk="a"} 0.75', 'acd_seconds{trunk="a"} 30'],
      ...['pdd_seconds{trunk="a"} 1.5', 'mos{trunk="a"} 4.2'],
    ]);
  });

  it('report unavailable parts, and omit values that come from the database', async () => {
    const away = (): Promise<never> => Promise.reject(new Error('away'));
    const exported = await lines({ checks: { database: away, redis: away }, engines: away, backlog: away });
    expect(exported).to.include.members([
      'hatif_ready 0',
      'hatif_part_up{part="database"} 0',
      'hatif_part_up{part="redis"} 0',
    ]);
    expect(exported.filter((line) => /^hatif_(?:engine|webhook_deliveries|webhook_oldest)/.test(line))).to.deep.equal(
      [],
    );
  });

  it('report a stopping process as not ready', async () => {
    expect(await lines({ isStopping: () => true })).to.include('hatif_ready 0');
  });

  it('report an engine that has no owner, or that its owner cannot reach', async () => {
    const [engine] = await parts().engines();
    const exported = await lines({
      engines: () =>
        Promise.resolve([
          { ...engine!, name: 'orphan', leased: false },
          { ...engine!, name: 'mute', status: 'unreachable' },
          { ...engine!, name: 'deaf', sip_status: 'down', draining: true },
        ]),
    });
    expect(exported).to.include.members([
      'hatif_engine_owned{engine="orphan",kind="asterisk"} 0',
      'hatif_engine_up{engine="orphan",kind="asterisk"} 0',
      'hatif_engine_owned{engine="mute",kind="asterisk"} 1',
      'hatif_engine_up{engine="mute",kind="asterisk"} 0',
      'hatif_engine_sip_up{engine="mute",kind="asterisk"} 1',
      'hatif_engine_draining{engine="mute",kind="asterisk"} 0',
      'hatif_engine_up{engine="deaf",kind="asterisk"} 1',
      'hatif_engine_sip_up{engine="deaf",kind="asterisk"} 0',
      'hatif_engine_draining{engine="deaf",kind="asterisk"} 1',
    ]);
  });
});
