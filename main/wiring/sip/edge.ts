import { directEdge } from '../../../adapters/sip/direct-edge.js';
import type { Settings } from '../../../config/settings.js';
import type { SipContacts } from '../../../core/data/repositories/sip/contacts.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import { parseSipAddress } from '../../../core/model/host-port.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { SipEdge } from '../../../core/ports/sip/edge.js';
import type { SipMemory } from '../../../core/ports/sip/memory.js';
import { DrachtioEdge } from '../../../sip/edge.js';

/** The way in for SIP that the settings choose. */
export function openSipEdge(
  settings: Settings,
  contacts: Pick<SipContacts, 'registered'>,
  cipher: Cipher,
  memory: SipMemory,
  clock: Clock,
  log: Logger,
): SipEdge {
  const { SIP_EDGE, SIP_EDGE_ADDRESS: address } = settings;
  if (SIP_EDGE === 'direct' || address === undefined) return directEdge;
  return new DrachtioEdge({
    address: parseSipAddress(address),
    mac: (text) => cipher.mac('edge', text),
    registered: () => contacts.registered(),
    ...{ memory, clock, log },
  });
}
