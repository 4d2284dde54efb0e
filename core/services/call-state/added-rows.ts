import type { CallRow, ChargeRow, LegRow, TimelineRow, VoicemailRow } from '../../data/rows.js';
import type { EventType } from '../../model/events/index.js';
import { newId } from '../../model/ids.js';
import type { EventFacts, PendingEvent } from './event-facts.js';

export interface Added {
  readonly events: readonly PendingEvent[];
  readonly charges: readonly ChargeRow[];
  readonly timeline: readonly TimelineRow[];
  readonly voicemails: readonly VoicemailRow[];
}

/**
 * A call's events, charges, timeline notes and voicemails since the last commit. These rows are inserted and never
 * updated.
 */
export class AddedRows {
  /** Whether events added from now on are marked as produced after an outage. */
  recovered = false;
  #events: PendingEvent[] = [];
  #charges: ChargeRow[] = [];
  #timeline: TimelineRow[] = [];
  #voicemails: VoicemailRow[] = [];

  get isEmpty(): boolean {
    return this.#events.length + this.#charges.length + this.#timeline.length === 0;
  }

  /** @param call already carries the event's sequence as its `last_sequence` */
  event(call: CallRow, type: EventType, at: Date, facts: EventFacts): void {
    this.#events.push({ id: newId(), type, at, call, recovered: this.recovered, facts });
  }

  charge(call: CallRow, leg: LegRow, answeredAt: Date, endedAt: Date): void {
    this.#charges.push({
      id: newId(),
      leg_id: leg.id,
      call_id: call.id,
      project_id: call.project_id,
      sandbox: call.sandbox,
      // A leg to the public network is outbound, whatever the direction of its call.
      direction: leg.role === 'customer' ? call.direction : 'outbound',
      kind: call.kind,
      number: leg.number,
      started_at: answeredAt,
      seconds: Math.max(0, Math.round((endedAt.getTime() - answeredAt.getTime()) / 1000)),
      created_at: endedAt,
    });
  }

  note(callId: string, type: string, at: Date, data: Readonly<Record<string, unknown>>): void {
    this.#timeline.push({ id: newId(), call_id: callId, at, type, data });
  }

  /** Adds a left message. The caller adds the event for it. */
  message(row: VoicemailRow): void {
    this.#voicemails.push(row);
  }

  /** Returns all added rows and clears them. */
  take(): Added {
    const added = {
      events: this.#events,
      charges: this.#charges,
      timeline: this.#timeline,
      voicemails: this.#voicemails,
    };
    this.#events = [];
    this.#charges = [];
    this.#timeline = [];
    this.#voicemails = [];
    return added;
  }
}
