import { Histogram, type Registry } from 'prom-client';
import type { MediaQuality } from '../../core/model/call/quality.js';

/**
 * Metrics of audio quality, by engine; values that were not measured are not counted.
 * @returns observes a leg of an ended call
 */
export function qualityMetrics(registry: Registry): (engine: string, quality: MediaQuality) => void {
  const histogram = (name: string, help: string, buckets: number[]): Histogram<'engine'> =>
    new Histogram({ name, help, buckets, labelNames: ['engine'], registers: [registry] });
  const mos = histogram(
    'hatif_leg_mos',
    'Estimated mean opinion score (ITU-T G.107) of legs, 1 to 4.5.',
    [1.5, 2, 2.5, 3, 3.25, 3.5, 3.75, 4, 4.2, 4.4, 4.5],
  );
  const loss = histogram(
    'hatif_leg_packet_loss_ratio',
    'Share of lost audio packets of a leg, 0 to 1.',
    [0, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  );
  const jitter = histogram(
    'hatif_leg_jitter_seconds',
    'Interarrival jitter of a leg’s audio packets (RFC 3550).',
    [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2],
  );
  const roundTrip = histogram(
    'hatif_leg_round_trip_seconds',
    'Round-trip time between engine and phone, by RTCP.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1],
  );
  return (engine, quality) => {
    const observe = (metric: Histogram<'engine'>, value: number | null): void => {
      if (value !== null) metric.observe({ engine }, value);
    };
    observe(mos, quality.mos);
    observe(loss, quality.lossShare);
    observe(jitter, inSeconds(quality.jitterMs));
    observe(roundTrip, inSeconds(quality.roundTripMs));
  };
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
