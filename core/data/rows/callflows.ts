import type { FlowKind } from '../../model/flow/definition.js';

export const CALLFLOW_STATUSES = ['draft', 'active', 'inactive'] as const;
export type CallflowStatus = (typeof CALLFLOW_STATUSES)[number];

/**
 * Resources that a flow references, by kind; `calls`: flows entered as subroutines, which return.
 */
export type CallflowUses = Readonly<
  Record<'audio' | 'queue' | 'number' | 'agent' | 'callflow' | 'calls', readonly string[]>
>;

export interface CallflowRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** Created by a sandbox key, and changed by sandbox keys only; production keys read it, too. */
  readonly sandbox: boolean;
  readonly name: string;
  readonly kind: FlowKind;
  readonly status: CallflowStatus;
  /** The newest version, which new calls run while the flow is active. */
  readonly version: number;
  readonly uses: CallflowUses;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly removed_at: Date | null;
}

export interface CallflowVersionRow {
  readonly callflow_id: string;
  readonly version: number;
  readonly name: string;
  /** As submitted. */
  readonly definition: object;
  readonly created_at: Date;
  readonly created_by_key: string | null;
}
