import type { EngineEvent, LegEvent } from '../../../core/ports/engine-events.js';

/** Returns the events of one leg, in order. */
export function eventsOf(events: readonly EngineEvent[], legId: string): readonly LegEvent[] {
  return events.filter((event): event is LegEvent => 'legId' in event && event.legId === legId);
}

/**
 * Formats a leg's events as words that are the same for every engine (docs/explanation/conformance.md, "Normalised
 * traces"): without times, IDs, digit lengths and texts; playbacks are named by letters in order of appearance; early
 * media is omitted, because it depends on the remote side.
 */
export function traceOf(events: readonly EngineEvent[], legId: string): readonly string[] {
  const letters = new Map<string, string>();
  const letter = (playbackId: string): string => {
    const known = letters.get(playbackId) ?? String.fromCharCode(65 + letters.size);
    letters.set(playbackId, known);
    return known;
  };
  const own = eventsOf(events, legId).filter((event) => event.type !== 'leg.progress');
  return own.map((event) => {
    switch (event.type) {
      case 'leg.incoming':
        return `incoming ${event.dialled} from ${event.callerId.number ?? 'withheld'} by ${event.source.type}`;
      case 'leg.dtmf':
        return `dtmf ${event.digit}`;
      case 'leg.ended':
        return `ended ${event.cause.q850}${event.cause.sipCode === null ? '' : ` sip ${event.cause.sipCode}`}`;
      case 'play.started':
        return `play ${letter(event.playbackId)} started`;
      case 'play.finished':
        return `play ${letter(event.playbackId)} ${event.outcome}`;
      default:
        return event.type.replace('leg.', '');
    }
  });
}
