import type { DocumentKind, PortingStatus } from '../../model/number/porting.js';
import type { NumberSource, NumberState } from '../../model/number/states.js';
import type { OwnableKind } from '../../model/number/search.js';

/** Where a call can be sent. */
export interface Destination {
  readonly type: string;
  readonly target: string | null;
}

/** A number of the installation: one row for ever, whoever has it. */
export interface InventoryRow {
  readonly id: string;
  /** Whose it is; null where it is nobody's now. */
  readonly organization_id: string | null;
  readonly project_id: string | null;
  readonly e164: string;
  readonly kind: OwnableKind;
  readonly state: NumberState;
  readonly source: NumberSource;
  /** The name of the provider that it is ordered from; null for others. */
  readonly provider: string | null;
  /** What its owner calls it. */
  readonly label: string | null;
  /** What an incoming call reaches; null nothing. */
  readonly binding: Destination | null;
  /** The order by which its owner has it, or tries to. */
  readonly order_id: string | null;
  /** When the regular work comes for it: the end of its quarantine, or an order that nobody finished. */
  readonly due_at: Date | null;
  readonly assigned_at: Date | null;
  readonly created_at: Date;
}

/** One that is somebody's. */
export interface NumberRow extends InventoryRow {
  readonly organization_id: string;
  readonly project_id: string;
}

export interface NumberChangeRow {
  readonly id: string;
  readonly number_id: string;
  /** Null: it was not here before. */
  readonly from_state: NumberState | null;
  readonly to_state: NumberState;
  /** Whose it was or became. */
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
  /** What `audio_url` gave, as engines find it. */
  readonly audio_id: string | null;
  readonly audio_path: string | null;
  readonly assigned_at: Date;
  readonly released_at: Date | null;
}

export interface OwnNumberClaimRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly e164: string;
  readonly method: 'call' | 'letter';
  readonly status: 'pending' | 'verified' | 'rejected' | 'failed' | 'expired';
  /** The code that the call speaks; null for a letter. */
  readonly code_id: string | null;
  readonly call_id: string | null;
  /** What the operator said. */
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
  readonly numbers: readonly string[];
  /** The carrier that has them now. */
  readonly carrier: string;
  readonly account_name: string;
  readonly account_number: string | null;
  readonly notes: string | null;
  /** When the customer wants them to move. */
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

/** A file that proves something to the operator: of a porting request, or of a claim to a number. */
export interface NumberDocumentRow {
  readonly id: string;
  readonly porting_request_id: string | null;
  readonly claim_id: string | null;
  readonly kind: DocumentKind;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly storage: 'local' | 's3';
  readonly storage_key: string;
  readonly created_at: Date;
}

export interface TrunkRow {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly transport: 'udp' | 'tcp' | 'tls';
  readonly username: string | null;
  /** Sealed. */
  readonly password: string | null;
  readonly inbound_addresses: readonly string[];
  /** Whether numbers outside the home country may leave by it. */
  readonly foreign_numbers: boolean;
  readonly is_default: boolean;
  readonly created_at: Date;
}
