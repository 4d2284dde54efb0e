/** SIP statuses by which a called party rejects a call: Decline (RFC 3261 §21.6.2), Unwanted (RFC 8197). */
export type RejectStatus = 603 | 607;

/** Why an incoming call was refused before it began. */
export const REFUSAL_REASONS = [
  /** Nobody has the number. */
  'unknown_number',
  /** The number is assigned, and leads nowhere. */
  'unbound_number',
  /** No agent has the softphone. */
  'unknown_caller',
  /** The agent may not call this number. */
  'not_allowed',
  /** The caller is on the block list of the agent, the project or the installation that is called. */
  'caller_blocked',
  /** The project that has the number cannot pay for the call. */
  'no_credit',
  /** A limit of the project: calls at the same time. */
  'limit',
  /** The engine or the process takes no new calls. */
  'draining',
  /** The database was not available, or another process had taken the engine over. */
  'unavailable',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** The entry of a block list for which a caller is refused, and whose list it is on. */
export interface CallerBlock {
  readonly id: string;
  readonly of: 'agent' | 'project' | 'installation';
}

/** A refusal: the reason, and the Q.850 cause that the caller gets. */
export interface Refusal {
  readonly refuse: number;
  readonly reason: RefusalReason;
  /** What the caller gets instead of the SIP status of the cause. */
  readonly sipStatus?: RejectStatus;
  /** Of a blocked caller. */
  readonly block?: CallerBlock;
}
