import { directEdge } from '../../adapters/sip/direct-edge.js';
import { EDGE_FEATURES } from '../../core/ports/sip/edge.js';

/** Until the returned function is called, platforms without the SIP edge manage its guards as if they had it. */
export function simulateEdge(): () => void {
  const { kind, features } = directEdge;
  Object.assign(directEdge, { kind: 'drachtio', features: EDGE_FEATURES });
  return () => void Object.assign(directEdge, { kind, features });
}
