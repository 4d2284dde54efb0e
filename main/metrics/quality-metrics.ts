import { Histogram, type Registry } from 'prom-client';
import type { MediaQuality } from '../../core/model/call/quality.js';

/** How legs sounded, by engine; what was not measured is not counted. @returns to be told of each leg of a call that is over */
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
    'Share of the audio packets of a leg that never came, 0 to 1.',
    [0, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  );
  const jitter = histogram(
    'hatif_leg_jitter_seconds',
    'Interarrival jitter of a leg’s audio packets (RFC 3550).',
    [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2],
  );
  const roundTrip = histogram(
    'hatif_leg_round_trip_seconds',
    'Time between engine and phone, there and back, by RTCP.',
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
