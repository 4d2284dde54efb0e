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

/** What was told, charged and noted of a call since the last commit: rows that are only ever added. */
export class AddedRows {
  /** Events from now on are made after an outage. */
  recovered = false;
  #events: PendingEvent[] = [];
  #charges: ChargeRow[] = [];
  #timeline: TimelineRow[] = [];
  #voicemails: VoicemailRow[] = [];

  get isEmpty(): boolean {
    return this.#events.length + this.#charges.length + this.#timeline.length === 0;
  }

  /** @param call with the event's sequence as its last */
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
      // A leg to the public network is an outbound one, whatever the direction of the call it belongs to.
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

  /** Somebody left a message; told with an event. */
  message(row: VoicemailRow): void {
    this.#voicemails.push(row);
  }

  /** All of it; from here on there is nothing. */
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
