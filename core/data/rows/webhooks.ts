import type { EventPattern, EventType } from '../../model/events/index.js';

/** An event for webhooks (outbox). Call events have a sequence that starts at 1. */
export interface EventRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly call_id: string | null;
  readonly sequence: number | null;
  readonly type: EventType;
  readonly data: object;
  readonly sandbox: boolean;
  /** Created after an outage from the engine's own record. */
  readonly recovered: boolean;
  readonly created_at: Date;
}

export interface WebhookEndpointRow {
  readonly id: string;
  readonly project_id: string;
  /** Created by a sandbox key: receives sandbox events, otherwise live ones. */
  readonly sandbox: boolean;
  readonly url: string;
  readonly events: readonly EventPattern[];
  readonly description: string | null;
  /** Whether messages have the customer's full number beside the masked one. */
  readonly include_customer_number: boolean;
  /** Sealed. */
  readonly secret: string;
  /** Sealed; also signs until it expires. */
  readonly previous_secret: string | null;
  readonly previous_secret_expires_at: Date | null;
  readonly status: 'enabled' | 'disabled';
  readonly disabled_reason: string | null;
  readonly failing_since: Date | null;
  readonly created_at: Date;
}

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  /** Null for a call's own receiver, whose address is `url`. */
  readonly endpoint_id: string | null;
  /** The endpoint's id, or `call:<call_id>`. */
  readonly lane: string;
  readonly url: string | null;
  readonly project_id: string;
  readonly call_id: string | null;
  readonly sequence: number | null;
  readonly status: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly next_attempt_at: Date;
  readonly locked_until: Date | null;
  readonly created_at: Date;
  readonly delivered_at: Date | null;
  readonly last_error: string | null;
}

export interface AttemptRow {
  readonly id: string;
  readonly delivery_id: string;
  readonly at: Date;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}
