import type { FlowKind } from '../../model/flow/definition.js';

export const CALLFLOW_STATUSES = ['draft', 'active', 'inactive'] as const;
export type CallflowStatus = (typeof CALLFLOW_STATUSES)[number];

/** What a flow names, by kind; `calls`: the flows from which a call comes back. */
export type CallflowUses = Readonly<
  Record<'audio' | 'queue' | 'number' | 'agent' | 'callflow' | 'calls', readonly string[]>
>;

export interface CallflowRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** Made by a sandbox key: only such keys, and production keys, see it. */
  readonly sandbox: boolean;
  readonly name: string;
  readonly kind: FlowKind;
  readonly status: CallflowStatus;
  /** The newest, which new calls run while the flow is active. */
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
  /** As its author wrote it. */
  readonly definition: object;
  readonly created_at: Date;
  readonly created_by_key: string | null;
}
