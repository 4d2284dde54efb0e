import { expect } from 'chai';
import { eventually } from '../../support/eventually.js';
import { TestPlatform } from '../../support/platform/platform.js';

/** The metrics of real PostgreSQL, Redis and Asterisk. */
describe('the metrics of a running platform', () => {
  let stage: TestPlatform;

  before(async () => {
    stage = await TestPlatform.start({ cables: true });
  });
  after(async () => {
    const { ari, database, redis } = stage.cables!;
    ari.mend();
    for (const cable of [database, redis]) cable.restore();
    await stage.stop();
  });

  /** Returns the value of one series; null if it is absent. */
  const value = async (series: string): Promise<number | null> => {
    const text = await (await fetch(`${stage.url}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? null : Number(line.slice(series.length + 1));
  };
  const becomes = (series: string, wanted: number | null): Promise<unknown> =>
    eventually(async () => (await value(series)) === wanted, `${series} becomes ${wanted}`, 20_000);
  const ENGINE_UP = 'hatif_engine_up{engine="asterisk",kind="asterisk"}';

  it('report that all parts are up, and the clock skew', async () => {
    await becomes(ENGINE_UP, 1);
    for (const series of ['hatif_ready', 'hatif_part_up{part="database"}', 'hatif_part_up{part="redis"}']) {
      expect(await value(series), series).to.equal(1);
    }
    for (const peer of ['database', 'engine']) {
      const series = `hatif_clock_skew_seconds{peer="${peer}"}`;
      const skew = await eventually(async () => {
        const seconds = await value(series);
        return seconds !== null && { seconds };
      }, series);
      // All parts share one clock, but a slow response makes the measurement uncertain. The alert is at two seconds.
      expect(Math.abs(skew.seconds), series).to.be.lessThan(2);
    }
    const ran = await eventually(() => value('hatif_retention_last_run_timestamp_seconds'), 'retention ran');
    expect(ran * 1000).to.be.closeTo(Date.now(), 120_000);
  });

  it('report that the owner process cannot reach the engine', async () => {
    stage.cables!.ari.cut();
    await becomes(ENGINE_UP, 0);
    expect(await value('hatif_engine_owned{engine="asterisk",kind="asterisk"}')).to.equal(1);
    stage.cables!.ari.mend();
    await becomes(ENGINE_UP, 1);
  });

  it('report that Redis is unavailable', async () => {
    stage.cables!.redis.cut();
    await becomes('hatif_part_up{part="redis"}', 0);
    expect(await value('hatif_ready')).to.equal(1);
    stage.cables!.redis.restore();
    await becomes('hatif_part_up{part="redis"}', 1);
  });

  it('report that the database is unavailable, and omit the figures from it', async () => {
    stage.cables!.database.cut();
    await becomes('hatif_ready', 0);
    await becomes(ENGINE_UP, null);
    expect(await value('hatif_part_up{part="database"}')).to.equal(0);
    expect(await value('hatif_webhook_oldest_due_seconds')).to.equal(null);
    stage.cables!.database.restore();
    await becomes('hatif_ready', 1);
    await becomes(ENGINE_UP, 1);
  });
});
