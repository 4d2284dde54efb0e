/** Where a call can be sent. */
export interface Destination {
  readonly type: string;
  readonly target: string | null;
}

export interface NumberRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly e164: string;
  readonly state: 'assigned' | 'released';
  /** What an incoming call reaches; null nothing. */
  readonly binding: Destination | null;
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
