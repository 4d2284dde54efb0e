import type { BlockedKind } from '../../model/number/blocked-caller.js';
import type { DocumentKind, PortingStatus } from '../../model/number/porting.js';
import type { NumberSource, NumberState } from '../../model/number/states.js';
import type { OwnableKind } from '../../model/number/search.js';

/** A destination of calls. */
export interface Destination {
  readonly type: string;
  readonly target: string | null;
}

/** A number of the installation. The row stays the same when the owner changes. */
export interface InventoryRow {
  readonly id: string;
  /** The current owner; null if unassigned. */
  readonly organization_id: string | null;
  readonly project_id: string | null;
  /** Belongs to the sandbox of its project, where any number can exist. */
  readonly sandbox: boolean;
  readonly e164: string;
  readonly kind: OwnableKind;
  readonly state: NumberState;
  readonly source: NumberSource;
  /** Name of the provider it was ordered from; null for other sources. */
  readonly provider: string | null;
  /** Name given by the owner. */
  readonly label: string | null;
  /** Destination of incoming calls; null: none. */
  readonly binding: Destination | null;
  /** The order that assigned the number, or that is in progress. */
  readonly order_id: string | null;
  /** When the periodic job handles it: at the end of quarantine, or for an unfinished order. */
  readonly due_at: Date | null;
  readonly assigned_at: Date | null;
  readonly created_at: Date;
}

/** A number with an owner. */
export interface NumberRow extends InventoryRow {
  readonly organization_id: string;
  readonly project_id: string;
}

export interface NumberChangeRow {
  readonly id: string;
  readonly number_id: string;
  /** Null when the number was added. */
  readonly from_state: NumberState | null;
  readonly to_state: NumberState;
  /** The owner before or after the change. */
  readonly organization_id: string | null;
  readonly project_id: string | null;
  readonly reason: string;
  readonly at: Date;
}

export interface Instructions {
  readonly text: string | null;
  readonly audio_url: string | null;
  readonly language: 'ar' | 'en' | null;
  /** E.164. */
  readonly forward_to: string | null;
}

export interface VirtualNumberRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly number_id: string;
  readonly e164: string;
  readonly status: 'assigned' | 'released';
  readonly external_user_id: string;
  readonly display_name: string | null;
  readonly contact_id: string | null;
  readonly instructions: Instructions;
  /** The stored audio of `audio_url` and its path on the engines. */
  readonly audio_id: string | null;
  readonly audio_path: string | null;
  readonly assigned_at: Date;
  readonly released_at: Date | null;
}

export interface OwnNumberClaimRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly e164: string;
  readonly method: 'call' | 'letter';
  readonly status: 'pending' | 'verified' | 'rejected' | 'failed' | 'expired';
  /** The code spoken in the call; null for a letter. */
  readonly code_id: string | null;
  /** The operator's reason. */
  readonly reason: string | null;
  readonly number_id: string | null;
  readonly expires_at: Date;
  readonly created_at: Date;
  readonly decided_at: Date | null;
}

export interface PortingRequestRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly sandbox: boolean;
  readonly numbers: readonly string[];
  /** The current carrier. */
  readonly carrier: string;
  readonly account_name: string;
  readonly account_number: string | null;
  readonly notes: string | null;
  /** Porting date requested by the customer. */
  readonly wanted_at: Date | null;
  readonly status: PortingStatus;
  /** Why it was rejected or cancelled. */
  readonly reason: string | null;
  readonly scheduled_at: Date | null;
  readonly created_at: Date;
  readonly submitted_at: Date | null;
  readonly ended_at: Date | null;
}

export interface PortingChangeRow {
  readonly id: string;
  readonly porting_request_id: string;
  readonly from_status: PortingStatus;
  readonly to_status: PortingStatus;
  readonly made_by: 'customer' | 'operator';
  readonly reason: string | null;
  readonly at: Date;
}

/** A file submitted as evidence, for a porting request, a number claim or a request for production access. */
export interface NumberDocumentRow<Kind extends string = DocumentKind> {
  readonly id: string;
  readonly porting_request_id: string | null;
  readonly claim_id: string | null;
  readonly production_request_id: string | null;
  readonly kind: Kind;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly storage: 'local' | 's3';
  readonly storage_key: string;
  readonly created_at: Date;
}

/** An entry of a list of callers. */
export interface CallerEntryRow {
  readonly id: string;
  /** Null: it concerns the live calls of all projects of the installation. */
  readonly project_id: string | null;
  /** The extension; null: it concerns the whole project. */
  readonly agent: string | null;
  readonly sandbox: boolean;
  readonly kind: BlockedKind;
  /** E.164 or a prefix of it; null for callers who show no number. */
  readonly number: string | null;
  readonly note: string | null;
  readonly created_at: Date;
}

/** A caller whose calls are refused. */
export interface BlockedCallerRow extends CallerEntryRow {
  readonly refused_calls: number;
  readonly last_refused_at: Date | null;
}

/** A caller who is never blocked. */
export type AllowedCallerRow = CallerEntryRow;
