import type { SipEdge } from '../../core/ports/sip/edge.js';

/** Phones and carriers reach the engines by themselves: each engine has their accounts and addresses. */
export const directEdge: SipEdge = {
  kind: 'direct',
  features: new Set(),
  address: null,
  softphone: (softphone) => softphone,
  trunk: (trunk) => trunk,
  behind: (engine) => engine,
};
