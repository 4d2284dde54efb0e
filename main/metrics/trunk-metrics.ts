import { Gauge, type Registry } from 'prom-client';
import type { TrunkStatistics } from '../../core/services/trunks/figures.js';

/** The time that the gauges look back on. */
export const TRUNK_WINDOW_HOURS = 0.25;

/**
 * Registers gauges of the calls through trunks. They come from the database, so that every process reports the same about
 * all of them; while it is unavailable they are absent.
 * @param read returns null if the figures cannot be read
 */
export function registerTrunkFigures(registry: Registry, read: () => Promise<readonly TrunkStatistics[] | null>): void {
  const gauge = (name: string, help: string, of: (figures: TrunkStatistics) => number | null): void => {
    new Gauge({
      name,
      help,
      labelNames: ['trunk'],
      registers: [registry],
      async collect() {
        const found = await read();
        this.reset();
        for (const figures of found ?? []) {
          const value = of(figures);
          if (value !== null) this.set({ trunk: figures.trunk }, value);
        }
      },
    });
  };
  const last = 'of the last 15 minutes';
  gauge('hatif_trunk_calls_live', 'Calls through the trunk now, in both directions.', ({ live_calls }) => live_calls);
  gauge(
    'hatif_trunk_capacity',
    'How many calls the trunk carries at once. Absent without a limit.',
    (one) => one.capacity,
  );
  gauge('hatif_trunk_attempts', `Outgoing calls through the trunk that ended, ${last}.`, ({ attempts }) => attempts);
  gauge('hatif_trunk_answered', `Those of them that were answered, ${last}.`, ({ answered }) => answered);
  gauge(
    'hatif_trunk_failed',
    `Those of them that the carrier did not carry (5xx, 408 or no answer), ${last}.`,
    ({ failed }) => failed,
  );
  gauge('hatif_trunk_asr_ratio', `Answer-seizure ratio, 0 to 1, ${last}. Absent without attempts.`, ({ asr }) => asr);
  gauge(
    'hatif_trunk_acd_seconds',
    `Average duration of answered calls, ${last}. Absent without one.`,
    (one) => one.acd_seconds,
  );
  gauge('hatif_trunk_pdd_seconds', `Mean post-dial delay, ${last}. Absent without one.`, (one) => one.pdd_seconds);
  gauge('hatif_trunk_mos', `Mean estimated opinion score, ${last}. Absent if none was measured.`, ({ mos }) => mos);
}
