import { openApi } from './lib/api.js';
import { startApplication } from './lib/application.js';
import { median } from './lib/median.js';
import { percentile } from './lib/percentile.js';
import { addSoftphones, PASSWORD, SECRET } from './lib/softphones.js';
import type { Row } from './lib/table.js';
import type { TestBed } from './lib/test-bed.js';
import { AriTap } from './web-ringing/ari-tap.js';
import { clicks, type Clicks } from './web-ringing/clicks.js';
import { renderSteps } from './web-ringing/steps.js';

/** The agent whose softphone rings when somebody clicks. */
const RUNG = 'rung';

/**
 * Measures the time from a click in a browser to the ringing of a softphone, and each step of it. The page notes its own
 * moments; a proxy between the application and the engine notes the others.
 */
export async function run(testBed: TestBed): Promise<Row[]> {
  const { ASTERISK_ARI_URL: url = '' } = testBed.engine.settings;
  const tap = await AriTap.start(url);
  const application = await startApplication(testBed, {
    environment: { HATIF_SECRET: SECRET, ASTERISK_ARI_URL: tap.url },
  });
  try {
    await addSoftphones(testBed, application, [RUNG]);
    const api = openApi(application, 1);
    const wanted = { identity: 'caller', allow: { outgoing: ['agent'] } };
    const made = (await api.post('/v1/web-calling/sessions', wanted)) as { readonly token: string };
    await api.close();
    const [host = '', port = ''] = testBed.engine.peers.trunk.sip.split(':');
    return rowsOf(
      await clicks(application, {
        ...{ token: made.token, tap },
        agent: { user: RUNG, password: PASSWORD },
        registrar: { host, port: Number(port) },
      }),
    );
  } finally {
    // The parts that follow have these tables, too.
    await application.db.query('DELETE FROM web_calling_sessions');
    await application.db.query('DELETE FROM agents WHERE agent = $1', [RUNG]);
    await application.stop();
    await tap.close();
  }
}

function rowsOf(measured: Clicks | null): Row[] {
  if (measured === null) console.log('  not measured, because there is no Chromium');
  else console.log(renderSteps(measured.steps));
  const totals = measured?.totals ?? [];
  return [
    {
      what: 'from the click in a browser to the ringing, on the loopback, p50',
      ...{ ours: median(totals), baseline: null, unit: 'ms', goal: { max: 150 } },
    },
    { what: '    p95', ours: percentile(totals, 0.95), baseline: null, unit: 'ms' },
    { what: "    the page's first call", ours: measured?.first ?? null, baseline: null, unit: 'ms' },
  ];
}
