import { ENGINE_KINDS, type EngineKind } from '../../../core/model/engine-kinds.js';
import { asterisk } from './asterisk.js';
import { freeswitch } from './freeswitch.js';
import type { EngineAccess, EngineConnection, EngineKindDescriptor, KindContext } from './kind.js';
import { simulator } from './simulator.js';

/** Every kind of engines that this version can work with. */
export const DESCRIPTORS: { readonly [Kind in EngineKind]: EngineKindDescriptor<Kind> } = {
  asterisk,
  freeswitch,
  simulator,
};

/**
 * Connects to an engine of the table of engines.
 * @param address in the format of the table
 * @returns null if this version does not know the kind, or cannot read the address
 */
export function connectStored<Kind extends EngineKind>(
  kind: Kind,
  address: unknown,
  access: Omit<EngineAccess<Kind>, 'address'>,
  context: KindContext,
): EngineConnection | null {
  // A newer version may have added engines of kinds that are not in this table.
  const known: Partial<typeof ENGINE_KINDS> = ENGINE_KINDS;
  const read = known[kind]?.stored.safeParse(address);
  return read?.success === true ? DESCRIPTORS[kind].connect({ ...access, address: read.data }, context) : null;
}
